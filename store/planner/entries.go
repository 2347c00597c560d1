package planner

import (
	"slices"

	"oc-scheduler/store/walkjson"
)

// capacities reads resource → instance → amounts.
func (d *decoder) capacities() error {
	return d.identified(func(resource uint32) error {
		d.instances = append(d.instances, instance{resource: resource, id: none})
		return d.identified(func(id uint32) error {
			amounts, err := d.amounts(Down)
			d.instances = append(d.instances, instance{resource, id, amounts})
			return err
		})
	})
}

// schedule reads resource → list of slots; null is an empty list.
func (d *decoder) schedule() error {
	return d.identified(func(resource uint32) error {
		switch kind := d.PeekKind(); kind {
		case '[':
		case 'n':
			return d.SkipValue()
		default:
			return d.skip("must be a list of slots, not %s", walkjson.KindName(kind))
		}
		return walkjson.List(d.Decoder, func() error { return d.slot(resource) })
	})
}

// slot reads one booked slot; one that lasts no time is left out.
func (d *decoder) slot(resource uint32) error {
	if kind := d.PeekKind(); kind != '{' {
		return d.skip("must be an object, not %s", walkjson.KindName(kind))
	}
	s := slot{resource: resource, id: none, booking: none}
	var hasStart, hasEnd, hasUsage bool
	faults := len(d.faults)
	err := d.object(func(name []byte) (err error) {
		switch string(name) {
		case "start":
			hasStart = true
			return d.time(&s.Start)
		case "end":
			hasEnd = true
			return d.time(&s.End)
		case "instance_id":
			if d.PeekKind() == 'n' {
				return d.SkipValue()
			}
			return d.text(func(text []byte) (err error) {
				s.id, err = d.ids.identifier(text)
				return err
			})
		case "booking_id":
			if d.PeekKind() != '"' {
				return d.SkipValue() // of no meaning here, whatever it is
			}
			return d.text(func(text []byte) error {
				s.booking = d.booking(text)
				return nil
			})
		case "usage":
			hasUsage = d.PeekKind() != 'n'
			s.span, err = d.amounts(Up)
			return err
		}
		return d.SkipValue()
	})
	if err != nil {
		return err
	}
	if wrong := d.addSlot(s, hasStart && hasEnd, hasUsage); wrong != "" && len(d.faults) == faults {
		d.fault("%s", wrong)
	}
	return nil
}

// addSlot takes a slot that was read, and says what is wrong with it.
func (d *decoder) addSlot(s slot, hasTimes, hasUsage bool) (wrong string) {
	if !hasUsage {
		d.usage = append(d.usage, usage{dimension: none})
		s.span = span{uint32(len(d.usage) - 1), uint32(len(d.usage))}
	}
	switch {
	case !hasTimes:
		return "a slot needs start and end"
	case s.End < s.Start:
		return "ends before it starts"
	case s.Start < s.End:
		d.slots = append(d.slots, s)
	}
	return ""
}

// amounts reads an object of amounts; null is an empty one. They are appended to the usage column,
// by the number of their dimension, zeros left out.
func (d *decoder) amounts(round Rounding) (span, error) {
	first := len(d.usage)
	if d.PeekKind() == 'n' {
		return span{}, d.SkipValue()
	}
	d.quantities.round = round
	if err := d.quantities.read(); err != nil {
		return span{}, err
	}
	return d.tidy(first, round, func(dimension string) { d.fault("dimension %q is named twice", shorten(dimension)) }), nil
}

// tidy makes a span of the amounts from first on; twice is called with each dimension that is there twice.
func (d *decoder) tidy(first int, round Rounding, twice func(dimension string)) span {
	list := d.usage[first:]
	slices.SortFunc(list, byDimension)
	for i := 1; i < len(list); i++ {
		if list[i].dimension == list[i-1].dimension {
			twice(d.dimensions.list[list[i].dimension])
		}
	}
	list = slices.DeleteFunc(list, func(u usage) bool { return round == Up && u.amount == 0 })
	d.usage = d.usage[:first+len(list)]
	return span{uint32(first), uint32(len(d.usage))}
}

// addQuantity takes what the quantity reader found.
func (d *decoder) addQuantity(dimension []byte, amount Amount) {
	if len(d.dimensions.list) <= MaxDimensions { // else there are too many already
		d.usage = append(d.usage, usage{d.dimensions.number(dimension), amount})
	}
}
