package orchestrator_test

import (
	"fmt"
	"slices"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/nclprotocol"
)

// TestAFailingLineHoldsNobodyUp: here no dead letter can be kept, so that many nodes' events fail and fail,
// and those nodes go on sending. Others are handled meanwhile, and all once it is mended.
func TestAFailingLineHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	const failing, flood = 10, 500 // more than workers, and more than the desk holds
	var bad []*node
	for i := range failing {
		n := newNode(t, nc, fmt.Sprintf("bad%d", i))
		n.accepted(t)
		n.record(changed("", "queued"))
		for j := range flood {
			n.record(changed(fmt.Sprintf("%s-%d", n.id, j), "queued"))
		}
		n.sendFast(t)
		bad = append(bad, n)
	}
	good := newNode(t, nc, "good")
	good.accepted(t)
	for i := range 5 {
		good.record(changed(fmt.Sprintf("g%d", i), "queued"))
		good.sendAll(t)
		handledUpTo(t, a, "good", uint64(i)+1)
	}
	keepDeadLetters(t, a.js)
	for _, n := range bad {
		handledUpTo(t, a, n.id, flood+1)
	}
	if got := deadLetters(t, a.js); len(got) != failing || slices.ContainsFunc(got, func(r string) bool { return r != "refused" }) {
		t.Errorf("%v", got)
	}
}

// sendFast is sendAll without waiting for each.
func (n *node) sendFast(t testing.TB) {
	t.Helper()
	for ; n.sent < uint64(len(n.events)); n.sent++ {
		frame, err := n.frame(n.sent+1, n.sent)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.js.PublishAsync(nclprotocol.OutSubject(n.id), frame); err != nil {
			t.Fatal(err)
		}
	}
	<-n.js.PublishAsyncComplete()
}
