package planner

import (
	"bytes"
	"encoding/binary"
	"slices"

	"oc-scheduler/store/digest"
)

// BookingPrefix begins the id of each booking that we issue, and of each that another installation does. Slots of a
// planner with such an id are told apart, see [Index.With]; those of others are slots like any.
const BookingPrefix = "oc-"

// marks say which slots are bookings of ours, and which ones.
type marks struct {
	void  bool     // they are none but ours, and do not count: see DecodeComposed
	ids   []string // of the bookings, sorted
	slots []uint32 // ascending
	whose []uint32 // for each of these slots, the place of its booking among ids
}

// booking is the number of a booking of ours, none of any other.
func (d *decoder) booking(text []byte) uint32 {
	if !bytes.HasPrefix(text, []byte(BookingPrefix)) || d.ours != nil && !d.ours(string(text)) {
		return none
	}
	number, err := d.bookings.identifier(text)
	if err != nil {
		return none // we issue no such id
	}
	return number
}

// marks are those of the slots, which are in order by now; the ids are sorted.
func (d *decoder) marks(ids []string) *marks {
	if !slices.ContainsFunc(d.slots, func(s slot) bool { return s.booking != none }) {
		return nil
	}
	m, places := &marks{void: d.ours != nil}, make([]uint32, len(ids)) // of those that have slots, counted from 1
	for i, s := range d.slots {
		if s.booking != none {
			m.slots, m.whose, places[s.booking] = append(m.slots, uint32(i)), append(m.whose, s.booking), 1
		}
	}
	for number, seen := range places {
		if seen > 0 {
			m.ids = append(m.ids, ids[number])
			places[number] = uint32(len(m.ids))
		}
	}
	for i, number := range m.whose {
		m.whose[i] = places[number] - 1
	}
	m.ids, m.slots, m.whose = slices.Clip(m.ids), slices.Clip(m.slots), slices.Clip(m.whose)
	return m
}

// of lists the slots whose bookings stand in o, ascending.
func (m *marks) of(o *Overlay) (slots []uint32) {
	if m == nil || m.void {
		return nil
	}
	stands := make([]bool, len(m.ids))
	for n, booking := range m.ids {
		stands[n] = o.stands(booking)
	}
	for n, slot := range m.slots {
		if stands[m.whose[n]] {
			slots = append(slots, slot)
		}
	}
	return slots
}

// void are the slots of a row that do not count, ascending.
func (p *Planner) void(row int) []uint32 {
	if p.marks == nil || !p.marks.void {
		return nil
	}
	return p.among(p.marks.slots, row)
}

// among are those of some slots, ascending, that belong to a row.
func (p *Planner) among(slots []uint32, row int) []uint32 {
	from, until := p.rangeOf(slots, row)
	return slots[from:until]
}

// rangeOf is where they are.
func (p *Planner) rangeOf(slots []uint32, row int) (from, until int) {
	first, end := p.slotsOf(row)
	from, _ = slices.BinarySearch(slots, uint32(first))
	until, _ = slices.BinarySearch(slots, uint32(end))
	return from, until
}

// appendMarks appends which slots are which bookings of ours to the content.
func (p *Planner) appendMarks(b []byte) []byte {
	b = append(b, 0) // where a resource would tell how many rows it has, which are more
	for i, slot := range p.marks.slots {
		b = digest.Text(binary.AppendUvarint(b, uint64(slot)), p.marks.ids[p.marks.whose[i]])
	}
	return b
}
