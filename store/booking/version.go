package booking

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"

	"oc-scheduler/store/workflow"
)

// Digest names content; equal content has equal digests in every process.
type Digest = [16]byte

// Inputs names everything about a check but the window: the workflow, the planners of its peers
// (planner reports false for a missing one) and the selected instances. Equal inputs are one Problem.
func Inputs(w *workflow.Workflow, planner func(peerID string) (Digest, bool), selected map[string]string) Digest {
	h := hasher{b: make([]byte, 0, 256)}
	digest := w.Digest()
	h.b = append(h.b, digest[:]...)
	for _, peer := range w.Peers() {
		d, ok := planner(peer)
		if ok {
			h.b = append(append(h.b, 1), d[:]...)
		} else {
			h.b = append(h.b, 0)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(selected)) {
		h.text(key)
		h.text(selected[key])
	}
	return h.sum()
}

// Version names the inputs of one result: equal versions, equal results but for ComputedAt.
func Version(inputs Digest, w Window) string {
	h := hasher{b: make([]byte, 0, 64)}
	h.b = append(h.b, inputs[:]...)
	for _, n := range []int64{w.Start, w.End, w.From} {
		h.b = binary.BigEndian.AppendUint64(h.b, uint64(n))
	}
	h.flag(w.AsPossible)
	h.flag(w.Preemption)
	sum := h.sum()
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

type hasher struct{ b []byte }

func (h *hasher) text(s string) {
	h.b = append(binary.AppendUvarint(h.b, uint64(len(s))), s...)
}

func (h *hasher) flag(v bool) {
	if v {
		h.b = append(h.b, 1)
	} else {
		h.b = append(h.b, 0)
	}
}

func (h *hasher) sum() (d Digest) {
	sum := sha256.Sum256(h.b)
	copy(d[:], sum[:])
	return d
}
