package planner

import (
	"bytes"
	"errors"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
)

// Decode reads a planner from JSON. Members that a planner does not have are ignored; those at the
// top are handed to extra, unless it is nil, as raw JSON that is valid during the call only.
//
// The error is a fault.List with all that is wrong: missing or invalid peer_id or generated_at, ids that
// are none, amounts or times out of range, slots that end before they start, text that is not
// one JSON object. Nothing of the data is kept.
func Decode(data []byte, extra func(name string, value []byte)) (*Planner, error) {
	d := decoder{Decoder: jsontext.NewDecoder(bytes.NewBuffer(data)), extra: extra}
	d.quantities = quantityReader{d: d.Decoder, path: fault.Root, faults: &d.faults, add: d.addQuantity}
	err := d.document()
	if err == nil {
		err = atEnd(d.Decoder)
	}
	if err != nil {
		d.faults.Add(fault.Root, "%s", syntax(err))
	}
	if err := d.faults.Err(); err != nil {
		return nil, err
	}
	p, err := d.planner()
	if err != nil {
		d.faults.Add(fault.Root, "%v", err)
		return nil, d.faults.Err()
	}
	return p, nil
}

// decoder collects what a document says, in its order; planner then sorts it into columns.
type decoder struct {
	*jsontext.Decoder
	extra      func(name string, value []byte)
	faults     fault.List
	quantities quantityReader
	unquoted   []byte // reused

	peerID      string
	generatedAt int64

	ids, dimensions names
	instances       []instance
	slots           []slot
	usage           []usage
}

// instance is an instance with capacities; one without id stands for its resource.
type instance struct {
	resource, id uint32
	span         // of its capacities
}

// slot is a booking as it was read; without instance it takes all instances of the resource.
type slot struct {
	resource, id uint32
	start, end   int64
	span         // of its usage
	row          uint32
}

// span is the part of the usage column from first to before last.
type span struct{ first, last uint32 }

// usage is a capacity or a use of the dimension of that number.
type usage struct {
	dimension uint32
	amount    Amount
}

// none stands for the instance that is not named, and for all dimensions of a slot without usage.
const none = math.MaxUint32

// document reads the top of a planner.
func (d *decoder) document() error {
	var hasPeer, hasTime bool
	if kind := d.PeekKind(); kind != '{' {
		return d.skip("must be an object, not %s", kindName(kind))
	}
	err := d.object(func(name []byte) error {
		switch string(name) {
		case "peer_id":
			hasPeer = true
			return d.peer()
		case "generated_at":
			hasTime = true
			return d.time(&d.generatedAt)
		case "capacities":
			return d.capacities()
		case "schedule":
			return d.schedule()
		}
		return d.other(string(name))
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
	return nil
}

func (d *decoder) peer() error {
	return d.text(func(peer []byte) error {
		d.peerID = string(peer)
		return id.Check(d.peerID)
	})
}

func (d *decoder) other(name string) error {
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
		*ns, err = parseTime(text)
		return err
	})
}

var (
	errTime  = errors.New("not an RFC 3339 time such as 2026-12-01T08:00:00Z, with at most nanoseconds")
	errRange = errors.New("a time outside the years 1678 to 2261")
)

func parseTime(text []byte) (int64, error) {
	var t time.Time
	if err := t.UnmarshalText(text); err != nil {
		return 0, errTime
	}
	if i := bytes.IndexByte(text, '.'); i >= 0 {
		if digits := bytes.TrimLeft(text[i+1:], "0123456789"); len(text)-i-1-len(digits) > 9 {
			return 0, errTime
		}
	}
	if year := t.UTC().Year(); year < 1678 || year > 2261 {
		return 0, errRange
	}
	return t.UnixNano(), nil
}

// text reads a string; what use makes of it may be a fault.
func (d *decoder) text(use func(text []byte) error) error {
	if kind := d.PeekKind(); kind != '"' {
		return d.skip("must be a string, not %s", kindName(kind))
	}
	text, err := readString(d.Decoder, &d.unquoted)
	if err != nil {
		return err
	}
	if err := use(text); err != nil {
		d.fault("%v", err)
	}
	return nil
}

// object reads an object; null is an empty one.
func (d *decoder) object(member func(name []byte) error) error {
	switch kind := d.PeekKind(); kind {
	case '{':
	case 'n':
		return d.SkipValue()
	default:
		return d.skip("must be an object, not %s", kindName(kind))
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := readString(d.Decoder, &d.unquoted)
		if err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// skip passes over the value that follows and tells what is wrong with it.
func (d *decoder) skip(format string, args ...any) error {
	if err := d.SkipValue(); err != nil {
		return err
	}
	d.fault(format, args...)
	return nil
}

// fault tells what is wrong with the value that was read last.
func (d *decoder) fault(format string, args ...any) {
	addFault(&d.faults, d.Decoder, fault.Root, 0, format, args...)
}
