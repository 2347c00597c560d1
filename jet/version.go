package jet

import (
	"cmp"
	"maps"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// Version says which layout a stream has. A stream bears it in its metadata, so that programs of several
// releases know what to make of it.
type Version struct {
	Layout int // from 1 on; 0: none is told
	Least  int // the least layout whose programs may work with it, too; 0: none but its own
}

// first is the version of a layout that names none.
var first = Version{1, 1}

const (
	layoutKey     = "oc-layout"
	compatibleKey = "oc-layout-compatible"
)

// Mark is the metadata of a stream of this version, beside what others have put there.
func (v Version) Mark(beside map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, beside)
	all[layoutKey], all[compatibleKey] = strconv.Itoa(v.Layout), strconv.Itoa(cmp.Or(v.Least, v.Layout))
	return all
}

// versionOf is the version that a stream bears; the zero one when it bears none that can be read.
func versionOf(c jetstream.StreamConfig) Version {
	layout, err := strconv.Atoi(c.Metadata[layoutKey])
	if err != nil || layout < 1 {
		return Version{}
	}
	least, err := strconv.Atoi(c.Metadata[compatibleKey])
	if err != nil || least < 1 {
		least = layout
	}
	return Version{layout, least}
}

// marked is how a stream is made: with the version of its layout.
func marked(want jetstream.StreamConfig) jetstream.StreamConfig {
	want.Metadata = neededBy(want).Mark(want.Metadata)
	return want
}

func neededBy(want jetstream.StreamConfig) Version { return cmp.Or(versionOf(want), first) }
