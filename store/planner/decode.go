package planner

import (
	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/store/timetext"
	"oc-scheduler/store/walkjson"
)

// Decode reads a planner from JSON. Members that a planner does not have are ignored; those at the
// top are handed to extra, unless it is nil: the name, and the value as raw JSON, valid during
// the call only. Nothing of data is kept.
//
// The error is a fault.List of all that is wrong: text that is not one JSON object, no peer_id or
// generated_at, invalid ids, amounts or times out of range, slots that end before they start, and
// more than a planner may hold. Bookings of what has no capacities are no faults: see Warnings.
func Decode(data []byte, extra func(name, value []byte)) (*Planner, error) {
	return decode(data, decoding{extra: extra})
}

// DecodeComposed reads a planner that is made of what our own nodes tell, as Decode does. Slots with the id of one
// of our bookings, which ours tells from all others, are shown and do not count: what stands is laid over the
// planner, see [Index.With], and what a node has yet to hear the end of takes nothing.
func DecodeComposed(data []byte, extra func(name, value []byte), ours func(bookingID string) bool) (*Planner, error) {
	return decode(data, decoding{extra: extra, ours: ours})
}

// DecodePart reads a part of a composed planner, of no peer and no time: a document that needs no peer_id and no
// generated_at, and where these say nothing. The error is as that of Decode.
func DecodePart(data []byte, ours func(bookingID string) bool) (*Planner, error) {
	return decode(data, decoding{ours: ours, part: true})
}

// decoding is how a document is read.
type decoding struct {
	extra func(name, value []byte)
	ours  func(bookingID string) bool // nil: by prefix, and what stands decides
	part  bool                        // it is of no peer and no time
}

func decode(data []byte, how decoding) (*Planner, error) {
	d := decoders.Get().(*decoder)
	defer d.release(len(data))
	d.decoding = how
	d.read(data)
	if err := d.faults.Err(); err != nil {
		return nil, err
	}
	return d.planner()
}

// document reads the top of a planner.
func (d *decoder) document() error {
	hasPeer, hasTime := d.part, d.part
	if kind := d.PeekKind(); kind != '{' {
		return d.skip("must be an object, not %s", walkjson.KindName(kind))
	}
	err := d.object(func(name []byte) error {
		switch {
		case string(name) == "capacities":
			return d.capacities()
		case string(name) == "schedule":
			return d.schedule()
		case string(name) == "peer_id" && !d.part:
			hasPeer = true
			return d.peer()
		case string(name) == "generated_at" && !d.part:
			hasTime = true
			return d.time(&d.generatedAt)
		}
		return d.other(name)
	})
	if err != nil {
		return err
	}
	if !hasPeer {
		d.faults.Add(fault.Root, "peer_id is missing")
	}
	if !hasTime {
		d.faults.Add(fault.Root, "generated_at is missing")
	}
	return walkjson.End(d.Decoder)
}

func (d *decoder) peer() error {
	return d.text(func(peer []byte) error {
		d.peerID = string(peer)
		return id.Check(d.peerID)
	})
}

func (d *decoder) other(name []byte) error {
	if d.extra == nil {
		return d.SkipValue()
	}
	value, err := d.ReadValue()
	if err == nil {
		d.extra(name, value)
	}
	return err
}

// time reads an RFC 3339 time with at most nanoseconds.
func (d *decoder) time(ns *int64) error {
	return d.text(func(text []byte) (err error) {
		*ns, err = timetext.Instant(text)
		return err
	})
}
