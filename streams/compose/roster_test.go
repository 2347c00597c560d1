package compose

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/offer"
	"oc-scheduler/store/planner"
)

func offering(t interface{ Fatal(...any) }, instances ...string) *offer.Offer {
	document := `{"capacities":{"r":{`
	for n, i := range instances {
		if n > 0 {
			document += ","
		}
		document += fmt.Sprintf("%q:{\"ram\":1}", i)
	}
	o, err := offer.Decode([]byte(document + "}}}"))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// The roster says at any time what a plain list of the nodes says.
func TestRoster(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, nodes := newRoster(), map[string]member{}
		offers := []*offer.Offer{nil, offering(t, "i"), offering(t, "i", "j"), offering(t, "j"), offering(t, "j")}
		versions := map[string]uint64{}
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			nodeID := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "node")
			now := member{peerID: rapid.SampledFrom([]string{"", "p", "q"}).Draw(t, "peer")}
			if now.peerID != "" {
				now.offer = rapid.SampledFrom(offers).Draw(t, "offer")
			}
			before := nodes[nodeID]
			changed := r.set(nodeID, now)
			if nodes[nodeID] = now; now.peerID == "" {
				delete(nodes, nodeID)
			}
			for _, peerID := range []string{"p", "q"} {
				about := before.peerID == peerID || now.peerID == peerID
				if want := about && !before.says(now); slices.Contains(changed, peerID) != want {
					t.Fatalf("%s of %+v, now %+v: changed %v", nodeID, before, now, changed)
				}
				here, version := r.here(peerID)
				if moved := version != versions[peerID]; moved != slices.Contains(changed, peerID) {
					t.Fatalf("version of %s %d after %d, changed %v", peerID, version, versions[peerID], changed)
				}
				versions[peerID] = version
				checkPeer(t, r, peerID, here, nodes)
			}
		}
	})
}

func checkPeer(t *rapid.T, r *roster, peerID string, here map[string]*offer.Offer, nodes map[string]member) {
	want, has := map[string]*offer.Offer{}, false
	for nodeID, m := range nodes {
		if m.peerID == peerID {
			if has = true; m.offer != nil {
				want[nodeID] = m.offer
			}
		}
	}
	if !maps.Equal(here, want) || r.has(peerID) != has || slices.Contains(r.all(), peerID) != has {
		t.Fatalf("of %s %v, want %v; has nodes: %t", peerID, here, want, r.has(peerID))
	}
	for _, instance := range []string{"i", "j", "k"} {
		ref, first := planner.Ref{ResourceID: "r", InstanceID: instance}, ""
		for _, nodeID := range slices.Sorted(maps.Keys(want)) {
			if first == "" && want[nodeID].Has(ref) {
				first = nodeID
			}
		}
		if nodeID, ok := r.node(peerID, ref); nodeID != first || ok != (first != "") {
			t.Fatalf("%s of %s is %q's, want %q", instance, peerID, nodeID, first)
		}
	}
}
