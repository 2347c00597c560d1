package workflow

import (
	"cmp"
	"encoding/binary"
	"slices"

	"oc-scheduler/store/digest"
)

// digestOf hashes what Decode understood, so it changes with every change of meaning and with nothing
// else. Strings are written with their length and lists with theirs: no two meanings write the same.
func digestOf(id, name string, items []item, links []pair) [16]byte {
	b := digest.Text(digest.Text(nil, id), name)
	b = binary.AppendUvarint(b, uint64(len(items)))
	for _, it := range items {
		b = it.append(b)
	}
	slices.SortFunc(links, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	links = slices.CompactFunc(links, func(a, b pair) bool { return a.from == b.from && a.to == b.to })
	for _, l := range links {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(l.from)), uint64(l.to))
	}
	return digest.Of(b)
}

func (it *item) append(b []byte) []byte {
	b = digest.Text(digest.Text(b, it.id), string(it.kind))
	var flags byte
	if it.lasts {
		flags |= 1
	}
	if !it.task.isZero() {
		flags |= 2
	}
	b = digest.Flag(append(b, flags), it.need.Whole)
	b = binary.AppendUvarint(b, uint64(it.duration))
	b = digest.Text(digest.Text(b, it.need.ResourceID), it.need.PeerID)
	b = binary.AppendUvarint(b, uint64(len(it.need.Demand)))
	for _, q := range it.need.Demand {
		b = binary.AppendUvarint(digest.Text(b, q.Dimension), uint64(q.Amount))
	}
	if !it.task.isZero() { // flagged above: what has none is named as it was before there were any
		b = it.task.append(b)
	}
	return b
}
