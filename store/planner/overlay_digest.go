package planner

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"oc-scheduler/store/digest"
)

// Digest names the bookings of o, whatever way it was made. It is the same in every process; all
// zeros when there are none.
func (o *Overlay) Digest() [16]byte {
	if o == nil || len(o.instances) == 0 {
		return [16]byte{}
	}
	return o.digest()
}

func (o *Overlay) sum() [16]byte {
	refs := slices.SortedFunc(maps.Keys(o.instances), func(a, b Ref) int {
		return cmp.Or(strings.Compare(a.ResourceID, b.ResourceID), strings.Compare(a.InstanceID, b.InstanceID))
	})
	var b []byte
	for _, ref := range refs {
		sum := o.instances[ref].digest()
		b = append(digest.Text(digest.Text(b, ref.ResourceID), ref.InstanceID), sum[:]...)
	}
	return digest.Of(b)
}

// canonical is the content as bytes, as that of a planner.
func (s *standing) canonical() []byte {
	b := make([]byte, 0, 64*len(s.slots))
	for _, slot := range s.slots {
		b = slot.append(b)
	}
	return b
}

func (s *Slot) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Start))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.End))
	b = digest.Text(digest.Text(b, s.BookingID), s.Owner)
	if b = digest.Flag(b, s.Yields); s.Whole {
		return binary.AppendUvarint(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(1+len(s.Usage)))
	for _, q := range s.Usage {
		b = binary.AppendUvarint(digest.Text(b, q.Dimension), uint64(q.Amount))
	}
	return b
}
