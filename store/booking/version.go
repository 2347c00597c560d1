package booking

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"oc-scheduler/store/digest"
	"oc-scheduler/store/workflow"
)

// Digest names content; equal content has equal digests in every process.
type Digest = digest.Digest

// Inputs names everything about a check but the window: the workflow, the planners of its peers
// (planner reports false for a missing one), the bookings laid over those (all zeros where there are
// none) and the selected instances. Equal inputs are one Problem.
func Inputs(w *workflow.Workflow, planner func(peerID string) (Digest, bool), bookings func(peerID string) Digest, selected map[string]string) Digest {
	graph := w.Digest()
	b := append(make([]byte, 0, 256), graph[:]...)
	for _, peer := range w.Peers() {
		d, ok := planner(peer)
		if !ok {
			b = append(b, 0)
			continue
		}
		b = append(append(b, 1), d[:]...)
		if standing := bookings(peer); standing != (Digest{}) {
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
