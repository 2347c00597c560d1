package booking

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"oc-scheduler/store/digest"
)

// Digest names content; equal content has equal digests in every process.
type Digest = digest.Digest

// Inputs names everything about a check but the window: the workflow, the planners of its peers, the bookings laid over
// those and the selected instances. Equal inputs are one Problem.
func (s State) Inputs(selected map[string]string) Digest {
	graph := s.workflow.Digest()
	b := append(make([]byte, 0, 256), graph[:]...)
	for n, p := range s.planners {
		if p == nil {
			b = append(b, 0)
			continue
		}
		d := p.Digest()
		b = append(append(b, 1), d[:]...)
		if standing := s.bookings[n].Digest(); standing != (Digest{}) {
			b = append(append(b, 2), standing[:]...)
		}
	}
	if len(selected) > 0 { // even of none, Sorted makes a list
		for _, key := range slices.Sorted(maps.Keys(selected)) {
			b = digest.Text(digest.Text(b, key), selected[key])
		}
	}
	return digest.Of(b)
}

// Version names the inputs of one result: equal versions, equal results but for ComputedAt.
func Version(inputs Digest, w Window) string {
	b := append(make([]byte, 0, 64), inputs[:]...)
	for _, n := range []int64{w.Start, w.End, w.From} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	sum := digest.Of(digest.Flag(digest.Flag(b, w.AsPossible), w.Preemption))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// VersionWithout is the version of a result from which some schedules and holds are hidden.
func VersionWithout(version string, hidden []string) string {
	if len(hidden) == 0 {
		return version
	}
	sum := digest.Of([]byte(version + "\n" + strings.Join(hidden, "\n")))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
