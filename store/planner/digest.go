package planner

import (
	"encoding/binary"
	"sync/atomic"

	"oc-scheduler/store/digest"
)

// Digest names what decisions depend on: capacities, booked slots that count, which of them are bookings of ours,
// and warnings, whatever the order in which they were published; not generated_at. It is the same in
// every process.
func (p *Planner) Digest() [16]byte { return named(&p.digest, p.counted) }

// Told names all that the planner shows, as Digest does what counts of it.
func (p *Planner) Told() [16]byte {
	if p.marks == nil || !p.marks.void {
		return p.Digest()
	}
	return named(&p.told, func() []byte { return p.appendMarks(p.canonical(func(int) []uint32 { return nil })) })
}

func named(known *atomic.Pointer[[16]byte], content func() []byte) [16]byte {
	if d := known.Load(); d != nil {
		return *d
	}
	d := digest.Of(content())
	known.Store(&d)
	return d
}

// counted is what counts, as bytes.
func (p *Planner) counted() []byte {
	b := p.canonical(p.void)
	if p.marks == nil || p.marks.void {
		return b
	}
	return p.appendMarks(b)
}

// canonical is the content as bytes, but for some slots of each row, ascending. Every list is preceded by its length,
// so that no two contents are written alike.
func (p *Planner) canonical(without func(row int) []uint32) []byte {
	b := make([]byte, 0, 64*(len(p.rows)+len(p.warnings))+24*len(p.slots)+16*len(p.amounts))
	b = binary.AppendUvarint(b, uint64(len(p.warnings)))
	for _, w := range p.warnings {
		b = digest.Text(b, w)
	}
	for i := range p.resources {
		resource, end := p.rowsOf(i)
		b = binary.AppendUvarint(b, uint64(end-resource))
		for row := resource; row < end; row++ {
			b = p.appendRow(b, row, without(row))
		}
	}
	return b
}

func (p *Planner) appendRow(b []byte, row int, without []uint32) []byte {
	b = digest.Text(b, p.name(row))
	first, end := p.capacitiesOf(row)
	b = p.appendAmounts(b, p.dims[first:end], first)
	first, end = p.slotsOf(row)
	b = binary.AppendUvarint(b, uint64(end-first-len(without)))
	for slot := first; slot < end; slot++ {
		if len(without) > 0 && without[0] == uint32(slot) {
			without = without[1:]
			continue
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(p.slots[slot].Start))
		b = binary.LittleEndian.AppendUint64(b, uint64(p.slots[slot].End))
		dims, first := p.usageOf(slot)
		b = p.appendAmounts(b, dims, first)
	}
	return b
}

func (p *Planner) appendAmounts(b []byte, dims []uint16, first int) []byte {
	b = binary.AppendUvarint(b, uint64(len(dims)))
	for i, number := range dims {
		name := "" // of a slot without usage; no dimension is named so
		if number != whole {
			name = p.dimension(number)
		}
		b = binary.AppendUvarint(digest.Text(b, name), uint64(p.amount(first+i)))
	}
	return b
}
