package dispatcher_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/watcher"
)

func TestEventsArriveInOrder(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	s := bolt(t)
	runs(t, s, 20)
	d := dispatch(t, quick(), params(s, publisher(t, js)))
	await(t, d, 20)
	runs(t, s, 10)
	await(t, d, 30)
	stop(t, d)
	var r reader
	read(t, js, &r, s.LedgerID())
	r.all(t, 30)
	same(t, "duplicates and gaps", r.duplicates+r.gaps, 0)
	same(t, "checkpoint", checkpoint(t, s), 30)
	same(t, "state", d.State(), dispatcher.State{LastDispatched: 30, LastAcknowledged: 30})
}

func TestASessionGoesOn(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	s := memory(t)
	store(t, s, "run", "other", "run", "other", "run", "other")
	p := params(s, publisher(t, js))
	p.After = 3 // the other side has 1 and 3
	d := dispatch(t, quick(), p)
	await(t, d, 5)
	stop(t, d)
	r := reader{last: 3}
	read(t, js, &r, s.LedgerID())
	same(t, "taken", fmt.Sprint(r.taken, r.duplicates, r.gaps), "[5] 0 0")
	same(t, "its previous one", r.previous, 3)
}

func TestTheServerRestarts(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	withStream(t, js)
	const n = 20_000
	s := memory(t)
	runs(t, s, n)
	d := dispatch(t, quick(), params(s, publisher(t, js)))
	for _, at := range []uint64{3000, 9000} {
		await(t, d, at)
		srv.Restart(t)
	}
	await(t, d, n)
	stop(t, d)
	if d.State().Recoveries == 0 {
		t.Error("the server restarted and nothing had to be sent again: too late")
	}
	var r reader
	read(t, js, &r, s.LedgerID())
	r.all(t, n)
}

func TestTheStreamIsMadeAnew(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	s := memory(t)
	runs(t, s, 100)
	d := dispatch(t, quick(), params(s, publisher(t, js)))
	await(t, d, 100)
	var r reader
	read(t, js, &r, s.LedgerID())
	if err := js.DeleteStream(patient(t), "OUT"); err != nil {
		t.Fatal(err)
	}
	runs(t, s, 100)
	natstest.Eventually(t, "the loss is noticed", func() bool { return d.State().Recoveries > 2 })
	same(t, "why", errors.Is(d.State().LastError, ncl.ErrNoResponders), true)
	withStream(t, js)
	await(t, d, 200)
	stop(t, d)
	read(t, js, &r, s.LedgerID())
	r.all(t, 200)
}

func TestTheStreamIsFullForAWhile(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	stream := withStream(t, js, func(c *jetstream.StreamConfig) {
		c.MaxMsgs, c.Discard = 50, jetstream.DiscardNew
	})
	s := memory(t)
	runs(t, s, 80)
	d := dispatch(t, quick(), params(s, publisher(t, js)))
	await(t, d, 50)
	natstest.Eventually(t, "it is full", func() bool { return d.State().Recoveries > 2 })
	same(t, "acknowledged", d.State().LastAcknowledged, 50)
	var r reader
	read(t, js, &r, s.LedgerID())
	if err := stream.Purge(patient(t)); err != nil {
		t.Fatal(err)
	}
	await(t, d, 80)
	stop(t, d)
	read(t, js, &r, s.LedgerID())
	r.all(t, 80)
}

func TestWhatCannotBeSentIsLeftOut(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js, func(c *jetstream.StreamConfig) { c.MaxMsgs, c.Discard = 2, jetstream.DiscardNew })
	s := memory(t)
	store(t, s, "run", "poison", "other", "unknown", "run", "poison", "run")
	d := dispatch(t, quick(), params(s, publisher(t, js)))
	await(t, d, 5)
	natstest.Eventually(t, "the rest is tried again", func() bool { return d.State().Recoveries > 3 })
	same(t, "left out, however often they are seen", d.State().LeftOut, 3)
	var r reader
	read(t, js, &r, s.LedgerID())
	same(t, "taken", fmt.Sprint(r.taken, r.duplicates, r.gaps), "[1 5] 0 0")
}

// TestWhatTheStreamRefusesIsLeftOut: its limit is not the server's, and is known by its answer alone.
func TestWhatTheStreamRefusesIsLeftOut(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js, func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1000 })
	s := memory(t)
	large := func() {
		_, err := s.StoreEvent(t.Context(), watcher.StoreEventRequest{
			Operation: watcher.OperationUpdate, ObjectType: "run", Object: strings.Repeat("x", 1000),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	large()
	large()
	runs(t, s, 1)
	large()
	runs(t, s, 2)
	large()
	d := dispatch(t, quick(), params(s, publisher(t, js)))
	natstest.Eventually(t, "all that fits is there, and the rest is left out", func() bool {
		return d.State().LastAcknowledged == 6 && d.State().LeftOut == 4
	})
	runs(t, s, 1)
	await(t, d, 8)
	stop(t, d)
	same(t, "left out", d.State().LeftOut, 4)
	var r reader
	read(t, js, &r, s.LedgerID())
	same(t, "taken", fmt.Sprint(r.taken), "[3 5 6 8]")
}

// TestWhatComesBehindIsNotLeftOut: what the stream refuses for good breaks the line for those behind it,
// which are fit to be sent and were counted as left out.
func TestWhatComesBehindIsNotLeftOut(t *testing.T) {
	t.Parallel()
	s, line := memory(t), &script{fates: []fate{forbidden}}
	runs(t, s, 3)
	d := dispatch(t, quick(), params(s, line))
	await(t, d, 3)
	stop(t, d)
	same(t, "left out", d.State().LeftOut, 1)
	same(t, "taken", fmt.Sprint(line.read().taken), "[2 3]")
}

func TestABlackHole(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	withStream(t, srv.JetStream(t))
	proxy := natstest.StartProxy(t, srv.Addr())
	nc, err := nats.Connect(proxy.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond), nats.ReconnectBufSize(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s := memory(t)
	cfg := quick()
	cfg.StallTimeout = 500 * time.Millisecond
	d := dispatch(t, cfg, params(s, publisher(t, js)))
	runs(t, s, 10)
	await(t, d, 10)
	same(t, "stalls", d.State().Stalls, 0)
	proxy.Hold()
	runs(t, s, 10)
	natstest.Eventually(t, "stalls", func() bool { return d.State().Stalls > 1 })
	same(t, "stalled", d.State().Stalled, true)
	proxy.Pass()
	await(t, d, 20)
	same(t, "stalled", d.State().Stalled, false)
	stop(t, d)
	var r reader
	read(t, srv.JetStream(t), &r, s.LedgerID())
	r.all(t, 20)
	if r.duplicates == 0 {
		t.Error("what was held came once only")
	}
}

func TestForgottenEventsAreMissed(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	s := memory(t)
	runs(t, s, 10)
	if err := s.Trim(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	p := params(s, publisher(t, js))
	p.After = 1
	d := dispatch(t, quick(), p)
	await(t, d, 10)
	same(t, "missing", d.State().Missing, 3)
	r := reader{last: 1}
	read(t, js, &r, s.LedgerID())
	same(t, "taken", fmt.Sprint(r.taken, r.gaps), "[5 6 7 8 9 10] 0")
}

func TestCheckpointsOnTheWay(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	s, clock, cfg := memory(t), clockwork.NewFakeClock(), quick()
	runs(t, s, 3)
	cfg.Clock = clock
	d := dispatch(t, cfg, params(s, publisher(t, js)))
	await(t, d, 3)
	same(t, "too early", checkpoint(t, s), 0)
	clock.Advance(cfg.CheckpointInterval)
	natstest.Eventually(t, "a checkpoint", func() bool { return checkpoint(t, s) == 3 })
}

func TestEnds(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	s, p := memory(t), publisher(t, js)
	runs(t, s, 2)
	ahead := params(s, p)
	ahead.After = 3
	d, err := dispatcher.New(quick(), ahead)
	same(t, "new", err, nil)
	same(t, "ahead", errors.Is(d.Start(t.Context()), dispatcher.ErrAhead), true)
	unused, err := dispatcher.New(quick(), params(s, p))
	same(t, "new", err, nil)
	stop(t, unused)
	same(t, "stopped before", unused.Start(t.Context()), dispatcher.ErrStarted)

	d = dispatch(t, quick(), params(s, p))
	same(t, "twice", d.Start(t.Context()), dispatcher.ErrStarted)
	await(t, d, 2)
	if err := p.Close(patient(t)); err != nil {
		t.Fatal(err)
	}
	runs(t, s, 1)
	<-d.Done()
	same(t, "publisher closed", errors.Is(d.State().LastError, ncl.ErrClosed), true)
	same(t, "checkpoint", checkpoint(t, s), 2)

	d = dispatch(t, quick(), params(s, publisher(t, js)))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-d.Done()
	same(t, "store closed", errors.Is(d.State().LastError, watcher.ErrClosed), true)
	same(t, "running", d.State().Running, false)
}

func TestAllFaultsAreReported(t *testing.T) {
	t.Parallel()
	_, err := dispatcher.New(dispatcher.Config{CheckpointInterval: -1, StallTimeout: -1}, dispatcher.Params{})
	same(t, "faults", strings.Count(err.Error(), "\n")+1, 7)
	same(t, "defaults", errors.Is(dispatcher.DefaultConfig().Validate(), nil), true)
	_, err = dispatcher.New(dispatcher.Config{}, dispatcher.Params{Name: strings.Repeat("x", 256)})
	same(t, "long name", strings.Contains(err.Error(), "256 bytes"), true)
}

func TestStopIsBounded(t *testing.T) {
	t.Parallel()
	s := memory(t)
	runs(t, s, 1)
	deaf := &script{entered: make(chan struct{}), release: make(chan struct{})}
	d := dispatch(t, quick(), params(s, deaf))
	<-deaf.entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	same(t, "error", errors.Is(d.Stop(ctx), context.Canceled), true)
	close(deaf.release)
	stop(t, d)
}
