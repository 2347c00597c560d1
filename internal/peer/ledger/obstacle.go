package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
)

// maxSlots is the most that one booking may have.
const maxSlots = 10_000

// obstacle says why slots can't be booked beside what is booked; empty: they can.
func (l *Ledger) obstacle(booked []nclprotocol.BookingChanged, slots []nclprotocol.Slot, now time.Time) string {
	if len(slots) == 0 || len(slots) > maxSlots {
		return fmt.Sprintf("a booking has 1 to %d slots, not %d", maxSlots, len(slots))
	}
	for i, slot := range slots {
		if err := l.sound(slot, now); err != nil {
			return fmt.Sprintf("slot %d: %v", i, err)
		}
	}
	x, err := l.index(now, append(booked, nclprotocol.BookingChanged{Slots: slots}))
	if err != nil {
		return err.Error()
	}
	for i, slot := range slots {
		if err := room(x.Resource(slot.ResourceID).Instance(slot.InstanceID), slot); err != nil {
			return fmt.Sprintf("slot %d: %v", i, err)
		}
	}
	return ""
}

// sound says what is wrong with a slot whatever else is booked.
func (l *Ledger) sound(s nclprotocol.Slot, now time.Time) error {
	capacities, there := l.capacities[s.ResourceID][s.InstanceID]
	switch {
	case !there:
		return fmt.Errorf("there is no instance %q of resource %q", s.InstanceID, s.ResourceID)
	case !s.Start.Before(s.End):
		return errors.New("it ends before it starts")
	case !s.End.After(now):
		return errors.New("it is in the past")
	}
	amounts, err := usage(s.Usage)
	if err != nil {
		return err
	}
	for _, dimension := range slices.Sorted(maps.Keys(amounts)) {
		if amounts[dimension] > capacities[dimension] {
			return fmt.Errorf("%s of %s is more than there is, %s", amounts[dimension], dimension, capacities[dimension])
		}
	}
	return nil
}

// room says why a slot that is among the bookings of an instance takes more than was left.
func room(i *planner.Instance, s nclprotocol.Slot) error {
	start, end := s.Start.UnixNano(), s.End.UnixNano()
	if len(s.Usage) == 0 && i.Occupancy().MaxUse(start, end) > planner.Unit {
		return errors.New("the whole instance is not free")
	}
	for _, dimension := range slices.Sorted(maps.Keys(s.Usage)) {
		if t := i.Timeline(dimension); t.MaxUse(start, end) > t.Capacity() {
			return fmt.Errorf("not enough %s is free", dimension)
		}
	}
	return nil
}
