package workflow

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// digest hashes what Decode understood, so it changes with every change of meaning and with nothing
// else. Strings are written with their length and lists with theirs: no two meanings write the same.
func digest(id, name string, items []item, links []pair) [16]byte {
	b := text(text(nil, id), name)
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
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

func (it *item) append(b []byte) []byte {
	b = text(text(b, it.id), string(it.kind))
	b = append(b, flag(it.lasts)|2*flag(!it.task.isZero()), flag(it.need.Whole))
	b = binary.AppendUvarint(b, uint64(it.duration))
	b = text(text(b, it.need.ResourceID), it.need.PeerID)
	b = binary.AppendUvarint(b, uint64(len(it.need.Demand)))
	for _, q := range it.need.Demand {
		b = binary.AppendUvarint(text(b, q.Dimension), uint64(q.Amount))
	}
	if !it.task.isZero() { // flagged above: what has none is named as it was before there were any
		b = it.task.append(b)
	}
	return b
}

func list(b []byte, all []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, s := range all {
		b = text(b, s)
	}
	return b
}

func text(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}
