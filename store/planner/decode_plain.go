package planner

import (
	"oc-scheduler/store/id"
	"oc-scheduler/store/timetext"
)

// readPlain reads a document of which nothing is unusual or wrong as document reads any, but in half
// the time. When it is false, what it has read means nothing.
func (d *decoder) readPlain(data []byte) bool {
	p := &d.plain
	hasPeer, hasTime := d.part, d.part
	others := make([][2][]byte, 0, 8) // names and values
	ok := p.Document(data, func(name []byte) bool {
		switch {
		case string(name) == "capacities":
			return d.plainCapacities()
		case string(name) == "schedule":
			return d.plainSchedule()
		case string(name) == "peer_id" && !d.part:
			hasPeer = true
			return d.plainPeer()
		case string(name) == "generated_at" && !d.part:
			hasTime = true
			return d.plainTime(&d.generatedAt)
		}
		value, ok := p.Value()
		others = append(others, [2][]byte{name, value})
		return ok
	})
	ok = ok && hasPeer && hasTime
	if ok && d.extra != nil {
		for _, other := range others {
			d.extra(other[0], other[1])
		}
	}
	return ok
}

func (d *decoder) plainPeer() bool {
	peer, ok := d.plain.Text()
	d.peerID = string(peer)
	return ok && id.Check(d.peerID) == nil
}

func (d *decoder) plainTime(ns *int64) bool {
	text, ok := d.plain.Text()
	if ok {
		var err error
		*ns, err = timetext.Instant(text)
		ok = err == nil
	}
	return ok
}

// plainIdentified is identified for plain text.
func (d *decoder) plainIdentified(member func(number uint32) bool) bool {
	return d.plain.Object(func(name []byte) bool {
		number, err := d.ids.identifier(name)
		return err == nil && member(number)
	})
}

func (d *decoder) plainCapacities() bool {
	return d.plainIdentified(func(resource uint32) bool {
		d.instances = append(d.instances, instance{resource: resource, id: none})
		return d.plainIdentified(func(id uint32) bool {
			amounts, ok := d.plainAmounts(Down)
			d.instances = append(d.instances, instance{resource, id, amounts})
			return ok
		})
	})
}

func (d *decoder) plainSchedule() bool {
	return d.plainIdentified(func(resource uint32) bool {
		return d.plain.List(func() bool { return d.plainSlot(resource) })
	})
}

func (d *decoder) plainSlot(resource uint32) bool {
	p, s := &d.plain, slot{resource: resource, id: none, booking: none}
	var hasStart, hasEnd, hasUsage bool
	ok := p.Object(func(name []byte) (ok bool) {
		switch string(name) {
		case "start":
			hasStart = true
			return d.plainTime(&s.Start)
		case "end":
			hasEnd = true
			return d.plainTime(&s.End)
		case "instance_id":
			if p.Next() == 'n' {
				return p.Null()
			}
			text, ok := p.Text()
			if !ok {
				return false
			}
			var err error
			s.id, err = d.ids.identifier(text)
			return err == nil
		case "booking_id":
			if p.Next() != '"' {
				break // of no meaning here, whatever it is
			}
			text, ok := p.Text()
			s.booking = d.booking(text)
			return ok
		case "usage":
			if p.Next() == 'n' {
				return p.Null()
			}
			hasUsage = true
			s.span, ok = d.plainAmounts(Up)
			return ok
		}
		_, ok = p.Value()
		return ok
	})
	return ok && d.addSlot(s, hasStart && hasEnd, hasUsage) == ""
}

// plainAmounts is amounts for plain text.
func (d *decoder) plainAmounts(round Rounding) (span, bool) {
	p, first := &d.plain, len(d.usage)
	ok := p.Object(func(name []byte) bool {
		switch {
		case p.Next() != '{':
			return d.plainAmount(name, round)
		case len(name) > MaxName:
			return false
		}
		prefix := append(append(d.unquoted[:0], name...), '.')
		d.unquoted = prefix
		return p.Object(func(below []byte) bool { return d.plainAmount(append(prefix, below...), round) })
	})
	s := d.tidy(first, round, func(string) { ok = false })
	return s, ok
}

func (d *decoder) plainAmount(dimension []byte, round Rounding) bool {
	number, ok := d.plain.Number()
	if !ok || len(dimension) == 0 || len(dimension) > MaxName {
		return false
	}
	amount, err := ParseAmount(string(number), round)
	d.addQuantity(dimension, amount)
	return err == nil
}
