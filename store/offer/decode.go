package offer

import (
	"bytes"
	"slices"
	"strings"
	"unique"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
	"oc-scheduler/store/walkjson"
)

// Decode reads an offer: the capacities and the schedule of a planner's document; all else in it is ignored.
// Nothing of data is kept. The error is a fault.List of all that is wrong with it, as planner.Decode tells it; of
// a document above MaxBytes it is that alone.
func Decode(data []byte) (*Offer, error) {
	if len(data) > MaxBytes {
		var faults fault.List
		faults.Add(fault.Root, "has %d bytes; an offer may have %d", len(data), MaxBytes)
		return nil, faults
	}
	p, err := planner.DecodePart(data, ours)
	if err != nil {
		return nil, err
	}
	o := &Offer{warnings: p.Warnings(), digest: p.Told(), steps: p.Steps()}
	_, o.slots = p.Counts()
	for name := range p.Dimensions() {
		o.dimensions = append(o.dimensions, unique.Make(name))
	}
	d := &parts{
		Decoder: jsontext.NewDecoder(bytes.NewBuffer(data)),
		slots:   map[planner.Ref][]byte{}, ours: map[planner.Ref][]string{}, wide: map[string][]string{},
	}
	if err := d.read(o); err != nil { // the planner's reader has found nothing wrong
		return nil, fault.List{{Path: fault.Root, Message: err.Error()}}
	}
	slices.Sort(d.bookings)
	o.bookings = slices.Compact(d.bookings)
	return o, nil
}

// ours tells the bookings that nodes were told of by us. What stands of them the plan knows: they are shown as far as
// there is room, and do not count.
func ours(bookingID string) bool { return schedule.OfBooking.Is(bookingID) }

// parts takes a document apart in which nothing is wrong.
type parts struct {
	*jsontext.Decoder
	unquoted []byte                   // reused
	slots    map[planner.Ref][]byte   // as instance has them
	ours     map[planner.Ref][]string // likewise
	wide     map[string][]string      // as resource has them
	bookings []string
}

// read collects the resources of an offer, and then what is booked on them.
func (d *parts) read(o *Offer) error {
	err := d.object(func(name string) error {
		switch name {
		case "capacities":
			return d.capacities(o)
		case "schedule":
			return d.object(func(resource string) error { return d.list(func() error { return d.slot(resource) }) })
		}
		return d.SkipValue()
	})
	slices.SortFunc(o.resources, func(a, b resource) int { return strings.Compare(a.id, b.id) })
	for n := range o.resources {
		r := &o.resources[n]
		o.instances += len(r.instances)
		if len(r.instances) > 0 {
			r.wide = d.wide[r.id]
		}
		slices.SortFunc(r.instances, func(a, b instance) int { return strings.Compare(a.id, b.id) })
		for m := range r.instances {
			i := &r.instances[m]
			ref := planner.Ref{ResourceID: r.id, InstanceID: i.id}
			i.slots, i.ours = string(d.slots[ref]), d.ours[ref]
		}
	}
	return err
}

func (d *parts) capacities(o *Offer) error {
	return d.object(func(name string) error {
		r := resource{id: name}
		err := d.object(func(name string) error {
			amounts, err := d.ReadValue()
			r.instances = append(r.instances, instance{id: name, amounts: compact(amounts)})
			return err
		})
		o.resources = append(o.resources, r)
		return err
	})
}

// slot puts a slot under its instance, whose name leads it there, or under the whole resource.
func (d *parts) slot(resource string) error {
	var members []byte
	var own bool
	of := planner.Ref{ResourceID: resource}
	err := d.object(func(name string) error {
		value, err := d.ReadValue()
		if name == "instance_id" {
			of.InstanceID = unquoted(value)
			return err
		}
		if id := unquoted(value); name == "booking_id" && id != "" {
			own, d.bookings = ours(id), append(d.bookings, id)
		}
		if members != nil {
			members = append(members, ',')
		}
		members = append(appendText(members, name), ':')
		members = append(members, compact(value)...)
		return err
	})
	switch {
	case of.InstanceID == "":
		d.wide[resource] = append(d.wide[resource], string(members))
		return err
	case own:
		d.ours[of] = append(d.ours[of], string(appendSlot(nil, of.InstanceID, string(members))))
		return err
	}
	d.slots[of] = appendSlot(d.slots[of], of.InstanceID, string(members))
	return err
}

// object hands over the names of the members, whose values have to be read; null is an empty one.
func (d *parts) object(member func(name string) error) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	return walkjson.Object(d.Decoder, &d.unquoted, func(name []byte) error { return member(string(name)) })
}

// list has each element read; null is an empty one.
func (d *parts) list(element func() error) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	return walkjson.List(d.Decoder, element)
}
