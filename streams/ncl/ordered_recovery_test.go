package ncl_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/ncl"
)

// pipeline sends notes 1 to total until all are acknowledged, as a dispatcher does: after a failure it
// goes back to the first that was not. Before a note is sent, it is announced. It returns how often it
// went back.
func pipeline(t *testing.T, p ncl.OrderedPublisher, total int, announce func(n int)) (resets int) {
	t.Helper()
	acknowledged := 0
	for acknowledged < total {
		var futures []ncl.PubFuture
		for n := acknowledged + 1; n <= total; n++ {
			announce(n)
			f, err := p.PublishAsync(patient(t), ncl.PublishRequest{Subject: "notes", Message: note(n)})
			if errors.Is(err, ncl.ErrBroken) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			futures = append(futures, f)
		}
		failed := false
		for _, f := range futures {
			switch err := outcome(t, f); {
			case err != nil:
				failed = true
			case failed:
				t.Fatal("acknowledged after a failure")
			default:
				acknowledged++
			}
		}
		if acknowledged < total {
			p.Reset(patient(t))
			resets++
		}
	}
	return resets
}

// once leaves out what was stored again, as a reader does: a note that is not the next one.
func once(notes []int) (next []int) {
	last := 0
	for _, n := range notes {
		if n == last+1 {
			last = n
			next = append(next, n)
		}
	}
	return next
}

// through is a connection that a proxy can cut.
func through(t *testing.T, p *natstest.Proxy) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(p.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// TestNothingIsLostWhenServersRestart sends while the server is restarted, and while a link swallows
// what is in flight: what was acknowledged is stored, in order, and what is stored twice can be told.
func TestNothingIsLostWhenServersRestart(t *testing.T) {
	t.Parallel()
	const total = 3000
	srv := natstest.Start(t)
	proxy := natstest.StartProxy(t, srv.Addr())
	js := srv.JetStream(t)
	withStream(t, js)
	p, err := ncl.NewOrderedPublisher(through(t, proxy), ncl.OrderedPublisherConfig{Codec: codec(), MaxPending: total})
	if err != nil {
		t.Fatal(err)
	}
	harm := []struct {
		at    int // the note before which it is done
		do    func()
		heals bool // it is done when the line breaks before, too: while the link is held no note may come so far
	}{
		{500, func() { srv.Restart(t) }, false},
		{1000, proxy.Hold, false},
		{1050, proxy.Reset, true},
		{1500, proxy.Flap, false},
		{2000, proxy.Hold, false},
		{2050, func() { srv.Restart(t); proxy.Reset() }, true},
	}
	last := 0
	resets := pipeline(t, p, total, func(n int) {
		for len(harm) > 0 && (n >= harm[0].at || n <= last && harm[0].heals) {
			harm[0].do()
			harm = harm[1:]
		}
		last = n
	})
	if err := p.Close(patient(t)); err != nil {
		t.Error(err)
	}
	if resets < 4 {
		t.Errorf("four breaks of the connection were noticed %d times", resets)
	}
	natstest.Eventually(t, "the stream answers", func() bool {
		_, err := js.Stream(t.Context(), "NOTES")
		return err == nil
	})
	if got := once(stored(t, js)); len(got) != total {
		t.Errorf("%d of %d notes are stored in order", len(got), total)
	}
}

// TestNothingIsLostWhenLeadersMove is the same on a stream with copies, whose leader is lost: outcomes
// that never come are given up, and no later message counts as stored before.
func TestNothingIsLostWhenLeadersMove(t *testing.T) {
	t.Parallel()
	const total = 600
	c := natstest.StartCluster(t, 3)
	js, err := jetstream.New(c.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	withStream(t, js, func(c *jetstream.StreamConfig) { c.Replicas = 3 })
	p := orderedPublisher(t, js, func(c *ncl.OrderedPublisherConfig) { c.AckTimeout = 2 * time.Second })
	leader := c.StreamLeader(t, "NOTES")
	harm := map[int]func(){200: leader.Kill, 400: func() { leader.Restart(t) }}
	pipeline(t, p, total, func(n int) {
		if f := harm[n]; f != nil {
			delete(harm, n)
			f()
		}
	})
	c.AwaitHealthy(t)
	c.StreamLeader(t, "NOTES")
	if got := once(stored(t, js)); len(got) != total {
		t.Errorf("%d of %d notes are stored in order", len(got), total)
	}
}

// TestTwoPublishers holds that two on one connection don't mix up their outcomes, nor the calls of one.
func TestTwoPublishers(t *testing.T) {
	t.Parallel()
	const each = 200
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	var work sync.WaitGroup
	sequences := make([][]uint64, 4)
	publishers := []ncl.OrderedPublisher{orderedPublisher(t, js), orderedPublisher(t, js, func(c *ncl.OrderedPublisherConfig) { c.MaxPending = 3 })}
	for caller := range sequences {
		work.Go(func() {
			var futures []ncl.PubFuture
			for n := range each {
				futures = append(futures, send(t, publishers[caller%2], n+each*caller))
			}
			for _, f := range futures {
				if err := outcome(t, f); err != nil {
					t.Error(err)
				}
				sequences[caller] = append(sequences[caller], f.StreamSequence())
			}
		})
	}
	work.Wait()
	notes := stored(t, js)
	for caller, sequences := range sequences {
		if !slices.IsSorted(sequences) {
			t.Errorf("caller %d: out of order", caller)
		}
		for n, sequence := range sequences {
			if notes[sequence-1] != n+each*caller {
				t.Errorf("caller %d: note %d is not at %d", caller, n, sequence)
			}
		}
	}
}

// TestAnOrderedPublisherEndsAtAnyMoment closes and resets while several publish.
func TestAnOrderedPublisherEndsAtAnyMoment(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	for round := range 50 {
		p := orderedPublisher(t, js, func(c *ncl.OrderedPublisherConfig) { c.MaxPending = 1 + round%5 })
		var work sync.WaitGroup
		for range 3 {
			work.Go(func() {
				for {
					f, err := p.PublishAsync(patient(t), ncl.PublishRequest{Subject: "notes", Message: note(1)})
					if errors.Is(err, ncl.ErrClosed) {
						return
					}
					if err != nil && !errors.Is(err, ncl.ErrReset) {
						t.Errorf("round %d: %v", round, err)
						return
					}
					if err == nil && round%2 == 0 {
						if err := outcome(t, f); err != nil && !errors.Is(err, ncl.ErrReset) && !errors.Is(err, ncl.ErrClosed) {
							t.Errorf("round %d: %v", round, err)
						}
					}
				}
			})
		}
		for range round % 4 {
			work.Go(func() { p.Reset(patient(t)) })
		}
		for range 1 + round%2 {
			work.Go(func() {
				if err := p.Close(patient(t)); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
	}
}
