package orchestrator

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"oc-scheduler/store"
)

func inStream(last uint64, created time.Time) *jetstream.StreamInfo {
	return &jetstream.StreamInfo{Created: created, State: jetstream.StreamState{LastSeq: last}}
}

// TestWhereANodeGoesOn in a stream of orders that ends with 20.
func TestWhereANodeGoesOn(t *testing.T) {
	t.Parallel()
	made := time.Unix(1, 0)
	of := func(change func(*store.NodeRecord)) store.NodeRecord {
		n := store.NodeRecord{
			NodeID:     "n",
			Standing:   store.Standing{State: store.NodeConnected},
			Positions:  store.Positions{Ledger: "l1", InStream: made, LastSchedulerSequence: 9, LedgerFrom: 4},
			Connection: store.Connection{Generation: 3},
		}
		change(&n)
		return n
	}
	same := func(*store.NodeRecord) {}
	lost := func(n *store.NodeRecord) { n.State, n.Delivered = store.NodeLost, 12 }
	for name, tc := range map[string]struct {
		succession
		delivered   uint64 // by the consumer; 0: it is not there
		start, from uint64
	}{
		"the same ledger":                     {succession{of(same), "l1", true, 7}, 15, 10, 4},
		"that has read on":                    {succession{of(same), "l1", true, 11}, 15, 12, 4},
		"in a stream made anew":               {succession{of(func(n *store.NodeRecord) { n.InStream = time.Unix(0, 0) }), "l1", true, 11}, 0, 1, 0},
		"in an older copy of the stream":      {succession{of(same), "l1", true, 21}, 0, 1, 0},
		"after it was removed":                {succession{store.NodeRecord{}, "l1", true, 7}, 15, 8, 0},
		"after all of it was forgotten":       {succession{store.NodeRecord{}, "l1", false, 7}, 15, 21, 21},
		"of a node that was never there":      {succession{store.NodeRecord{}, "l1", false, 0}, 15, 21, 21},
		"of one that waited for its approval": {succession{store.NodeRecord{NodeID: "n", Standing: store.Standing{State: store.NodeNew}, Positions: store.Positions{Delivered: 16, InStream: made}}, "l1", false, 0}, 15, 17, 17},
		"another ledger":                      {succession{of(same), "l2", false, 0}, 15, 16, 16},
		"when the consumer has gone":          {succession{of(same), "l2", false, 0}, 0, 21, 21},
		"that had more before":                {succession{of(func(n *store.NodeRecord) { n.Delivered = 18 }), "l2", false, 0}, 15, 19, 19},
		"after the node was lost":             {succession{of(lost), "l2", false, 0}, 0, 13, 13},
		"and read on all the same":            {succession{of(lost), "l2", false, 0}, 15, 16, 16},
		"of which nothing was noted":          {succession{of(func(n *store.NodeRecord) { n.State = store.NodeGone }), "l2", false, 0}, 0, 21, 21},
		"an earlier one":                      {succession{of(lost), "l0", false, 14}, 0, 15, 15},
		"another one in a stream made anew":   {succession{of(func(n *store.NodeRecord) { n.InStream = time.Unix(0, 0) }), "l2", false, 0}, 15, 21, 21},
		"another one in an older copy":        {succession{of(func(n *store.NodeRecord) { lost(n); n.Delivered = 30 }), "l2", false, 0}, 0, 21, 21},
	} {
		in := tc.place(inStream(20, made), func() (uint64, bool) { return tc.delivered, tc.delivered > 0 })
		if in.start != tc.start || in.from != tc.from || !in.created.Equal(made) {
			t.Errorf("%s: from %d on, as its own from %d; want %d, %d", name, in.start, in.from, tc.start, tc.from)
		}
	}
}

// TestNoOrderGoesToTwoLedgers, whatever becomes of sessions, consumers and memories of one node in one stream.
func TestNoOrderGoesToTwoLedgers(t *testing.T) {
	t.Parallel()
	for range 50 { // what goes wrong does so rarely
		rapid.Check(t, orders)
	}
}

func orders(t *rapid.T) {
	made := time.Unix(1, 0)
	w := &inWorld{owner: map[uint64]string{}, processed: map[string]uint64{}}
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		switch rapid.SampledFrom([]string{"send", "read", "restart", "wipe", "lose", "leave", "forget the consumer", "remove"}).Draw(t, "step") {
		case "send":
			w.last++
		case "read":
			if upTo := rapid.Uint64Range(0, w.last).Draw(t, "up to"); w.ledger != "" && upTo > w.delivered && w.consumer {
				w.read(t, upTo)
			}
		case "restart":
			w.connect(t, rapid.SampledFrom([]string{"l1", "l2"}).Draw(t, "ledger"), made)
		case "wipe":
			w.connect(t, rapid.StringMatching("m[0-9]{6}").Draw(t, "new ledger"), made)
		case "lose", "leave":
			if w.n.State == store.NodeConnected {
				w.n.State, w.n.Delivered = store.NodeLost, max(w.n.Delivered, w.reached())
			}
		case "forget the consumer":
			w.consumer = false
		case "remove":
			w.n, w.ledger = store.NodeRecord{}, ""
		}
	}
}

// inWorld is one node's part of the stream of orders.
type inWorld struct {
	n         store.NodeRecord
	last      uint64 // in the stream
	ledger    string // of the session
	consumer  bool
	delivered uint64
	owner     map[uint64]string // order → the ledger that has got it
	processed map[string]uint64
	told      string // the ledger whose events were handled last
}

func (w *inWorld) reached() uint64 {
	if w.consumer {
		return w.delivered
	}
	return w.last
}

// read delivers orders to the session's ledger, which tells that it has got them.
func (w *inWorld) read(t *rapid.T, upTo uint64) {
	for ; w.delivered < upTo; w.delivered++ {
		order := w.delivered + 1
		if who := w.owner[order]; who != "" && who != w.ledger {
			t.Fatalf("order %d went to %s and to %s", order, who, w.ledger)
		}
		w.owner[order] = w.ledger
	}
	w.told = w.ledger
	if rapid.Bool().Draw(t, "processed") {
		w.processed[w.ledger] = upTo
	}
}

func (w *inWorld) connect(t *rapid.T, ledger string, made time.Time) {
	s := succession{w.n, ledger, w.told == ledger, w.processed[ledger]}
	in := s.place(inStream(w.last, made), func() (uint64, bool) { return w.delivered, w.consumer })
	w.n = store.NodeRecord{
		NodeID:     "n",
		Standing:   store.Standing{State: store.NodeConnected},
		Positions:  store.Positions{Ledger: ledger, InStream: made, LastSchedulerSequence: in.start - 1, LedgerFrom: in.from, Delivered: in.had},
		Connection: store.Connection{Generation: w.n.Generation + 1},
	}
	w.ledger, w.consumer, w.delivered = ledger, true, in.start-1
	w.processed[ledger] = in.start - 1 // which a node remembers before it reads on
}
