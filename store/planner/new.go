package planner

import (
	"fmt"
	"math"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/timetext"
)

// Ref names an instance of a resource; without InstanceID, each one of the resource.
type Ref struct{ ResourceID, InstanceID string }

// Slot is a time in which something is taken of an instance.
type Slot struct {
	Interval
	BookingID string     // by which booking; empty: no matter whose
	Usage     []Quantity // what it takes, each dimension once
	Owner     string     // of a booking of ours: the schedule or hold whose it is
	Whole     bool       // it takes the whole instance, whatever Usage says
	Yields    bool       // of a booking of ours: it gives way to those that may take its place
}

// New makes a planner, of no peer and no time, as Decode does of a document that says the same. The
// error is a fault.List, as that of Decode.
func New(capacities map[Ref][]Quantity, slots map[Ref][]Slot) (*Planner, error) {
	const asText = 100 // bytes of a slot, about
	d := decoders.Get().(*decoder)
	defer func() { d.release(asText * len(d.slots)) }()
	named := map[uint32]bool{}
	for ref, amounts := range capacities {
		d.addCapacities(ref, amounts, named)
	}
	for ref, list := range slots {
		path := fault.Member("$.schedule", shorten(ref.ResourceID))
		owner, err := d.owner(ref)
		if err != nil {
			d.faults.Add(path, "%v", err)
			continue
		}
		for i := range list {
			d.addBooked(fault.Element(path, i), owner, &list[i])
		}
	}
	if err := d.faults.Err(); err != nil {
		return nil, err
	}
	return d.planner()
}

// owner is whom ref names.
func (d *decoder) owner(ref Ref) (o owner, err error) {
	o.id = none
	if o.resource, err = d.ids.identifier([]byte(ref.ResourceID)); err == nil && ref.InstanceID != "" {
		o.id, err = d.ids.identifier([]byte(ref.InstanceID))
	}
	return o, err
}

// addCapacities takes what an instance has; named are the resources so far.
func (d *decoder) addCapacities(ref Ref, amounts []Quantity, named map[uint32]bool) {
	path := fault.Member(fault.Member("$.capacities", shorten(ref.ResourceID)), shorten(ref.InstanceID))
	o, err := d.owner(ref)
	if err != nil {
		d.faults.Add(path, "%v", err)
		return
	}
	if !named[o.resource] {
		named[o.resource] = true
		d.instances = append(d.instances, instance{resource: o.resource, id: none})
	}
	if o.id != none {
		d.instances = append(d.instances, instance{o.resource, o.id, d.addAmounts(path, amounts, Down)})
	}
}

// addBooked takes a slot of its owner.
func (d *decoder) addBooked(path string, o owner, s *Slot) {
	if s.Start == math.MinInt64 || s.End == math.MaxInt64 {
		d.faults.Add(path, "%v", timetext.ErrRange)
		return
	}
	booked := slot{resource: o.resource, id: o.id, Interval: s.Interval, booking: d.booking([]byte(s.BookingID))}
	if !s.Whole {
		booked.span = d.addAmounts(path, s.Usage, Up)
	}
	if wrong := d.addSlot(booked, true, !s.Whole); wrong != "" {
		d.faults.Add(path, "%s", wrong)
	}
}

// addAmounts appends amounts to the usage column; round says what they are, as when they are read.
func (d *decoder) addAmounts(path string, amounts []Quantity, round Rounding) span {
	first := len(d.usage)
	for _, q := range amounts {
		if err := q.check(); err != nil {
			d.faults.Add(fault.Member(path, shorten(q.Dimension)), "%v", err)
			continue
		}
		d.addQuantity([]byte(q.Dimension), q.Amount)
	}
	return d.tidy(first, round, func(dimension string) { d.faults.Add(path, "dimension %q is named twice", shorten(dimension)) })
}

// check says why a planner can't hold such an amount.
func (q Quantity) check() error {
	switch {
	case q.Dimension == "" || len(q.Dimension) > MaxName:
		return fmt.Errorf("a dimension's name has 1 to %d bytes", MaxName)
	case q.Amount < 0:
		return fmt.Errorf("%w: negative", ErrAmount)
	case q.Amount > MaxAmount:
		return tooLarge()
	}
	return nil
}
