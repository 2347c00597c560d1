package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
)

// entry is what a replica keeps of a booking.
type entry struct {
	slots    []planner.Slot // one or more, each interval once
	until    int64          // from then on it takes nothing, whatever its slots say
	revision uint64
}

func (e *entry) whose() Owner { return Owner{e.slots[0].Owner, e.slots[0].Yields, e.revision} }

func (e *entry) id() string { return e.slots[0].BookingID }

func decodeEntry(key kv.Key, m kv.Message) (*entry, error) {
	b, err := DecodeBooking(key, m)
	if err != nil {
		return nil, err
	}
	slots, err := b.Slots()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
	}
	for i := range slots {
		slots[i].Owner, slots[i].Yields = owner(key), b.Preemptible
	}
	if slots = together(slots); len(slots) == 0 {
		return nil, fmt.Errorf("%w: a booking without intervals", kv.ErrUndecodable)
	}
	e := &entry{slots: slots, until: math.MaxInt64, revision: m.Revision}
	if !b.ExpiresAt.IsZero() {
		e.until = b.ExpiresAt.UnixNano()
	}
	return e, nil
}

// owner is in the memory of the key: its last token, which has nothing to be escaped.
func owner(key kv.Key) string { return string(key[strings.LastIndexByte(string(key), '.')+1:]) }

// together adds up what is taken in the same interval.
func together(slots []planner.Slot) []planner.Slot {
	var list []planner.Slot
next:
	for _, s := range slots {
		for i := range list {
			if list[i].Interval == s.Interval {
				list[i] = sum(list[i], s)
				continue next
			}
		}
		list = append(list, s)
	}
	return slices.Clip(list)
}

func sum(a, b planner.Slot) planner.Slot {
	if a.Whole || b.Whole {
		a.Whole, a.Usage = true, nil
		return a
	}
	usage := slices.Clone(a.Usage)
	for _, q := range b.Usage {
		i, found := slices.BinarySearchFunc(usage, q, func(a, b planner.Quantity) int { return strings.Compare(a.Dimension, b.Dimension) })
		if found {
			usage[i].Amount = usage[i].Amount.Add(q.Amount)
		} else {
			usage = slices.Insert(usage, i, q)
		}
	}
	a.Usage = usage
	return a
}
