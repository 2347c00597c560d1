package orchestrator_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
)

// instances is an offer of so many instances of one resource.
func instances(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"i%d":{"gpus":8}`, i))
	}
	return `{"capacities":{"gpu":{` + strings.Join(list, ",") + `}},"schedule":{}}`
}

// offers waits until a replica shows that a node offers so many instances.
func (r *replica) offers(t testing.TB, nodeID string, instances int) {
	t.Helper()
	natstest.Eventually(t, fmt.Sprintf("%s offers %d", nodeID, instances), func() bool {
		entry, stands := r.store.Offers.View().Get(nodeID)
		if !stands {
			return instances == 0
		}
		_, n, _ := entry.Value.Counts()
		return n == instances
	})
}

func (r *replica) record(t testing.TB, nodeID string) store.NodeRecord {
	t.Helper()
	n, err := r.store.Nodes.Get(t.Context(), nodeID)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAnOfferIsKept(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n.1")
	if r := n.offer(t, 1, instances(1)); r.Accepted || !r.HandshakeRequired || r.Reason == "" {
		t.Errorf("of a stranger: %+v", r)
	}
	n.accepted(t)
	for _, step := range []struct {
		sequence uint64
		tells    int
		stands   int
	}{{1, 1, 1}, {3, 3, 3}, {3, 3, 3}, {2, 2, 3}, {4, 0, 0}, {5, 5, 5}} {
		if r := n.offer(t, step.sequence, instances(step.tells)); !r.Accepted || r.HandshakeRequired {
			t.Errorf("%+v: %+v", step, r)
		}
		a.offers(t, "n.1", step.stands)
	}
	if entry, _ := a.store.Offers.View().Get("n.1"); !entry.Value.Has(planner.Ref{ResourceID: "gpu", InstanceID: "i4"}) {
		t.Error("what is offered is not known by its name")
	}
	before := n.session
	n.accepted(t)
	late, err := n.tryOffer(t.Context(), before, nclprotocol.OfferRequest{Sequence: 9, Offer: json.RawMessage(instances(9))})
	if err != nil || late.Accepted || !late.HandshakeRequired {
		t.Errorf("of the session before: %+v, %v", late, err)
	}
	a.offers(t, "n.1", 5)
	if r := n.offer(t, 1, instances(2)); !r.Accepted {
		t.Errorf("%+v", r)
	}
	a.offers(t, "n.1", 2)
	if !a.record(t, "n.1").TellsOffers {
		t.Error("that it tells offers is not on record")
	}
}

func TestAnOfferIsRefused(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	if r := n.offer(t, 1, instances(1)); !r.Accepted {
		t.Fatalf("%+v", r)
	}
	refused := func(sequence uint64, document, reason string) {
		t.Helper()
		if r := n.offer(t, sequence, document); r.Accepted || r.HandshakeRequired || !strings.Contains(r.Reason, reason) {
			t.Errorf("%+v, want %q", r, reason)
		}
		if on := a.record(t, "n").OfferRefused; on == nil || on.Sequence != sequence || !strings.Contains(on.Reason, reason) {
			t.Errorf("on record is %+v, want %q", on, reason)
		}
		a.offers(t, "n", 1)
	}
	refused(2, `{"capacities":{"gpu":{"i0":{"gpus":"many"}}}}`, "$.capacities.gpu.i0.gpus")
	refused(3, `[]`, "$: must be an object")
	withheld, err := n.tryOffer(t.Context(), n.session, nclprotocol.OfferRequest{Sequence: 5, Withheld: "more than NATS\nholds"})
	if err != nil || withheld.Accepted || withheld.Reason != "more than NATS holds" {
		t.Errorf("%+v, %v", withheld, err)
	}
	if on := a.record(t, "n").OfferRefused; on == nil || on.Reason != "more than NATS holds" {
		t.Errorf("%+v", on)
	}
	if r := n.offer(t, 4, instances(5)); !r.Accepted { // overtaken by the refused one
		t.Errorf("%+v", r)
	}
	if a.record(t, "n").OfferRefused == nil {
		t.Error("an older offer made up for the newest")
	}
	if r := n.offer(t, 7, instances(7)); !r.Accepted {
		t.Errorf("%+v", r)
	}
	a.offers(t, "n", 7)
	if r := n.offer(t, 6, `[]`); r.Accepted { // overtaken by a good one
		t.Errorf("%+v", r)
	}
	if on := a.record(t, "n").OfferRefused; on != nil {
		t.Errorf("still on record: %+v", on)
	}
}

// TestALostOfferIsAskedFor: who told one tells it again, whatever became of the bucket.
func TestALostOfferIsAskedFor(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n, silent := newNode(t, srv.Connect(t), "n"), newNode(t, srv.Connect(t), "silent")
	n.accepted(t)
	silent.accepted(t)
	if r := n.offer(t, 1, instances(1)); !r.Accepted {
		t.Fatalf("%+v", r)
	}
	a.offers(t, "n", 1)
	if n.beat(t).OfferRequired || silent.beat(t).OfferRequired {
		t.Error("asked for what is there, or never was")
	}
	stream, err := srv.JetStream(t).Stream(t.Context(), "KV_"+store.OffersBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it is asked for", func() bool { return n.beat(t).OfferRequired })
	if silent.beat(t).OfferRequired {
		t.Error("asked of a node that offers nothing")
	}
	if r := n.offer(t, 1, instances(1)); !r.Accepted {
		t.Errorf("%+v", r)
	}
	a.offers(t, "n", 1)
}

// TestOffersInAnyOrder: of all that was told in the present session, the newest stands, whatever was lost on the way,
// repeated or overtaken, and whatever comes of sessions that are over.
func TestOffersInAnyOrder(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	replicas := []*replica{startReplica(t, srv, "a"), startReplica(t, srv, "b")}
	nc := srv.Connect(t)
	nodes := 0
	rapid.Check(t, func(dice *rapid.T) {
		nodes++
		h := &history{node: newNode(t, nc, fmt.Sprint("n", nodes)), told: map[string]int{}}
		h.open(t)
		for range rapid.IntRange(1, 8).Draw(dice, "steps") {
			switch rapid.SampledFrom([]string{"tell", "tell", "tell", "lose", "open"}).Draw(dice, "what") {
			case "open":
				if len(h.sessions) < 4 { // the door lets it in as often
					h.open(t)
				}
			case "lose":
				h.draw(dice)
			default:
				h.tell(t, dice)
			}
		}
		for _, r := range replicas {
			r.offers(t, h.node.id, h.stands)
		}
	})
}

// history is what a node has told.
type history struct {
	node     *node
	sessions []string
	told     map[string]int // instances, by session and sequence

	newest uint64 // of the present session
	stands int    // what is offered
}

func (h *history) open(t *testing.T) {
	t.Helper()
	h.node.accepted(t)
	h.sessions, h.newest = append(h.sessions, h.node.session), 0
}

// draw is a telling, perhaps one that was drawn before.
func (h *history) draw(dice *rapid.T) (session string, sequence uint64, tells int) {
	session, sequence = rapid.SampledFrom(h.sessions).Draw(dice, "session"), rapid.Uint64Range(1, 4).Draw(dice, "sequence")
	key := fmt.Sprint(session, sequence)
	if _, before := h.told[key]; !before {
		h.told[key] = rapid.IntRange(0, 5).Draw(dice, "instances")
	}
	return session, sequence, h.told[key]
}

func (h *history) tell(t *testing.T, dice *rapid.T) {
	t.Helper()
	session, sequence, tells := h.draw(dice)
	present := session == h.node.session
	r, err := h.node.tryOffer(t.Context(), session, nclprotocol.OfferRequest{Sequence: sequence, Offer: json.RawMessage(instances(tells))})
	if err != nil || r.Accepted != present || r.HandshakeRequired == present {
		dice.Fatalf("%s: offer %d, of the present session: %v: %+v, %v", h.node.id, sequence, present, r, err)
	}
	if present && sequence > h.newest {
		h.newest, h.stands = sequence, tells
	}
}
