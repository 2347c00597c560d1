package workflow

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/store/planner"
)

// item is one node of the graph.
type item struct {
	id       string
	kind     Kind
	need     Need          // of compute and storage
	duration time.Duration // of processing
	lasts    bool          // duration is given
	task     task          // of processing
}

func (it *item) isNeed() bool { return it.kind == Compute || it.kind == Storage }

// end is when a processing item that starts at a time ends, in nanoseconds as the time.
func (it *item) end(start planner.Amount) planner.Amount {
	return start.Add(planner.Amount(it.duration))
}

// item reads one member of graph.items.
func (r *reader) item(name string) error {
	it := item{id: name}
	kinds := 0
	if err := id.Check(name); err != nil {
		r.fault("the item's name is an %v", err)
	}
	isObject, err := r.object(func(member string) error {
		kind := Kind(member)
		if !slices.Contains([]Kind{Processing, Compute, Storage, Data, Nested}, kind) || r.d.PeekKind() == 'n' {
			return r.d.SkipValue()
		}
		kinds++
		it.kind = kind
		return r.content(&it)
	})
	if err != nil {
		return err
	}
	if isObject && kinds != 1 {
		r.fault("must have exactly one of processing, compute, storage, data and workflow, not %d", kinds)
	}
	r.items = append(r.items, it)
	return nil
}

func (r *reader) content(it *item) error {
	switch it.kind {
	case Processing:
		return r.processing(it)
	case Compute, Storage:
		return r.resource(it)
	}
	_, err := r.object(func(string) error { return r.d.SkipValue() })
	return err
}

func (r *reader) processing(it *item) error {
	isObject, err := r.object(func(name string) (err error) {
		switch name {
		case "id":
			_, _, err = r.identifier()
		case "duration_s":
			err = r.seconds(it)
		case "command", "env", "retries":
			err = r.task(it, name)
		default:
			err = r.d.SkipValue()
		}
		return err
	})
	if err == nil && isObject {
		r.handed(it)
	}
	return err
}

// resource reads the content of a compute or storage item.
func (r *reader) resource(it *item) error {
	need := Need{ItemID: it.id, Kind: it.kind, Whole: true}
	var creator string
	var hasID, hasPeer, hasCreator bool
	isObject, err := r.object(func(name string) (err error) {
		switch name {
		case "id":
			need.ResourceID, hasID, err = r.identifier()
		case "peer_id":
			need.PeerID, hasPeer, err = r.identifier()
		case "creator_id":
			creator, hasCreator, err = r.identifier()
		case "demand":
			err = r.demand(&need)
		default:
			err = r.d.SkipValue()
		}
		return err
	})
	if err != nil || !isObject {
		return err
	}
	switch {
	case !hasPeer && !hasCreator:
		r.faults.Add(fault.Member(r.path(), "peer_id"), "is missing")
	case !hasPeer:
		need.PeerID = creator
	case hasCreator && need.PeerID != creator && need.PeerID != "" && creator != "":
		r.fault("peer_id and its alias creator_id differ")
	}
	if !hasID {
		r.faults.Add(fault.Member(r.path(), "id"), "is missing")
	}
	it.need = need
	return nil
}

func (r *reader) demand(need *Need) error {
	if r.d.PeekKind() == 'n' {
		return r.d.SkipValue()
	}
	before := r.d.InputOffset()
	demand, err := planner.ReadQuantities(r.d, r.path(), planner.Up, &r.faults)
	need.Whole, need.Written = false, bytes.TrimLeft(r.data[before:r.d.InputOffset()], ": \t\r\n")
	need.Demand = slices.DeleteFunc(demand, func(q planner.Quantity) bool { return q.Amount == 0 })
	if len(need.Demand) > maxDimensions {
		r.fault("asks for %d dimensions, at most %d are allowed", len(need.Demand), maxDimensions)
	}
	return err
}

// maxSeconds is the longest duration that is read: about 31 years.
const maxSeconds = 1_000_000_000

func (r *reader) seconds(it *item) error {
	switch kind := r.d.PeekKind(); kind {
	case 'n':
		return r.d.SkipValue()
	case '0':
	default:
		return r.refuse("a number of seconds", kind)
	}
	number, err := r.d.ReadValue()
	if err != nil {
		return err
	}
	// An Amount is a number of thousandths: a nanosecond is one of a millionth of a second.
	amount, err := planner.ParseAmount(timesMillion(string(number)), planner.Up)
	if err != nil {
		r.fault("must be a number of seconds from 0 to %d", maxSeconds)
		return nil
	}
	it.duration, it.lasts = time.Duration(amount), true
	return nil
}

// timesMillion multiplies a JSON number by 10^6, exactly.
func timesMillion(number string) string {
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	exponent, _ := strconv.Atoi(power) // 0 without a power, the nearest int for one out of range
	return mantissa + "e" + strconv.Itoa(min(max(exponent, -1_000_000), 1_000_000)+6)
}

// maxDimensions bounds one demand: a check costs as many timelines as it has dimensions.
const maxDimensions = 256
