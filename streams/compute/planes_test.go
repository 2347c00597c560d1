package compute_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// counted is a Checkpointer that tells each of its calls, and can fail.
type counted struct {
	calls chan uint64
	fail  error
}

func (c counted) Checkpoint(_ context.Context, _ string, sequence uint64) error {
	c.calls <- sequence
	return c.fail
}

func (c counted) GetCheckpoint(context.Context, string) (uint64, error) { return 0, c.fail }

// requests is the other side of a control plane: it tells each request, and answers as it is told.
type requests struct {
	mu     sync.Mutex
	answer func(any) (any, error)
	got    chan any
}

func (r *requests) Publish(context.Context, ncl.PublishRequest) error { return nil }

func (r *requests) Request(ctx context.Context, p ncl.PublishRequest) (*envelope.Message, error) {
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	payload, err := answer(p.Message.Payload)
	select {
	case r.got <- p.Message.Payload:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &envelope.Message{Payload: payload}, err
}

func (r *requests) answers(f func(any) (any, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

func accept(request any) (any, error) {
	switch request.(type) {
	case nclprotocol.HeartbeatRequest:
		return &nclprotocol.HeartbeatResponse{}, nil
	case nclprotocol.UpdateNodeInfoRequest:
		return &nclprotocol.UpdateNodeInfoResponse{Accepted: true}, nil
	case nclprotocol.OfferRequest:
		return &nclprotocol.OfferResponse{Accepted: true}, nil
	}
	return nil, errors.New("what?")
}

type controlled struct {
	clock   *clockwork.FakeClock
	worker  *worker
	peer    *requests
	health  *compute.HealthTracker
	tracker *nclprotocol.SequenceTracker
	keeper  counted
	params  compute.ControlPlaneParams
	plane   *compute.ControlPlane
}

// control starts a control plane on a fake clock: a heartbeat every 15 s, a look at the node info every
// 60 s, a checkpoint every 30 s.
func control(t *testing.T, fail error, adapt ...func(*compute.Config)) *controlled {
	t.Helper()
	c := &controlled{
		clock: clockwork.NewFakeClock(), worker: &worker{}, peer: &requests{got: make(chan any), answer: accept},
		tracker: nclprotocol.NewSequenceTracker(), keeper: counted{make(chan uint64, 10), fail},
	}
	c.health = compute.NewHealthTracker(c.clock)
	cfg := configure(t, "", "n1", c.worker, watcher.NewMemoryStore())
	cfg.HeartbeatInterval, cfg.NodeInfoUpdateInterval, cfg.CheckpointInterval = 15*time.Second, time.Minute, 30*time.Second
	cfg.Clock, cfg.Checkpointer = c.clock, c.keeper
	for _, f := range adapt {
		f(&cfg)
	}
	c.params = compute.ControlPlaneParams{
		Config: cfg, Requester: c.peer, HealthTracker: c.health, IncomingSeqTracker: c.tracker,
		CheckpointName: "test", NodeInfo: c.worker.GetNodeInfo(t.Context()),
	}
	plane, err := compute.NewControlPlane(c.params)
	if err != nil {
		t.Fatal(err)
	}
	c.plane = plane
	if err := plane.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// advance moves the clock by 15 s, and returns the heartbeat that is due then.
func (c *controlled) advance(t *testing.T) nclprotocol.HeartbeatRequest {
	t.Helper()
	c.clock.Advance(15 * time.Second)
	heartbeat, is := (<-c.peer.got).(nclprotocol.HeartbeatRequest)
	if !is {
		t.Fatal("no heartbeat")
	}
	return heartbeat
}

func TestControlPlane(t *testing.T) {
	t.Parallel()
	c := control(t, nil)
	c.worker.setInfo(nclprotocol.NodeInfo{NodeID: "n1", Free: nclprotocol.Amounts{"ram_gb": 3}})
	c.tracker.Processed(7)
	if h := c.advance(t); h.LastSchedulerSequence != 7 || h.Free["ram_gb"] != 3 {
		t.Errorf("heartbeat %+v", h)
	}
	natstest.Eventually(t, "success", func() bool { return c.health.GetHealth().LastSuccessfulHeartbeat.Equal(c.clock.Now()) })
	c.advance(t)
	if last := <-c.keeper.calls; last != 7 {
		t.Errorf("checkpoint %d", last)
	}
	c.advance(t)
	c.advance(t) // the info differs in what heartbeats carry only
	natstest.Eventually(t, "a look at the info", func() bool { return c.worker.asked.Load() == 1+4+1 })
	c.worker.setInfo(nclprotocol.NodeInfo{NodeID: "n1", Version: "2"})
	for range 3 {
		c.advance(t)
	}
	c.clock.Advance(15 * time.Second)
	updates := 0
	for range 2 { // in any order
		if u, is := (<-c.peer.got).(nclprotocol.UpdateNodeInfoRequest); is && u.NodeInfo.Version == "2" {
			updates++
		}
	}
	natstest.Eventually(t, "success", func() bool { return c.health.GetHealth().LastSuccessfulUpdate.Equal(c.clock.Now()) })
	if updates != 1 {
		t.Errorf("%d updates", updates)
	}
	c.tracker.Processed(9)
	if err := c.plane.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if last := <-c.keeper.calls; last != 9 || len(c.keeper.calls) > 0 {
		t.Errorf("last checkpoint %d, %d more", last, len(c.keeper.calls))
	}
}

func TestHeartbeatAsksForHandshake(t *testing.T) {
	t.Parallel()
	c := control(t, nil)
	c.peer.answers(func(any) (any, error) { return nil, ncl.ErrNoResponders })
	c.advance(t)
	c.peer.answers(func(any) (any, error) { return &nclprotocol.HeartbeatResponse{HandshakeRequired: true}, nil })
	c.advance(t)
	natstest.Eventually(t, "the wish", c.health.IsHandshakeRequired)
	if !c.health.GetHealth().LastSuccessfulHeartbeat.IsZero() {
		t.Error("counted as answered")
	}
	if err := c.plane.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestControlPlaneStops(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	c := control(t, full)
	if err := c.plane.Start(t.Context()); !errors.Is(err, compute.ErrStarted) {
		t.Errorf("second Start: %v", err)
	}
	c.clock.Advance(15 * time.Second) // a heartbeat hangs: nobody takes it
	for range 2 {
		if err := c.plane.Stop(t.Context()); !errors.Is(err, full) {
			t.Errorf("Stop: %v", err)
		}
	}
	if err := c.plane.Start(t.Context()); !errors.Is(err, compute.ErrClosed) {
		t.Errorf("Start after Stop: %v", err)
	}
	unborn, err := compute.NewControlPlane(c.params)
	if err != nil {
		t.Fatal(err)
	}
	if err := unborn.Stop(t.Context()); err != nil {
		t.Errorf("Stop before Start: %v", err)
	}
	if err := unborn.Start(t.Context()); !errors.Is(err, compute.ErrClosed) {
		t.Errorf("Start after Stop before Start: %v", err)
	}
	if _, err := compute.NewControlPlane(compute.ControlPlaneParams{}); err == nil {
		t.Error("a control plane without anything")
	}
}

func TestDataPlane(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	startOrchestrator(t, s, "n1", &memory{}, nil)
	params := compute.DataPlaneParams{
		Config: configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore()), Client: s.Connect(t),
	}
	dp, err := compute.NewDataPlane(params)
	if err != nil {
		t.Fatal(err)
	}
	if err := dp.Stop(t.Context()); err != nil || dp.IsRunning() {
		t.Errorf("Stop before Start: %v, running %v", err, dp.IsRunning())
	}
	if err := dp.Start(t.Context()); !errors.Is(err, compute.ErrClosed) || dp.IsRunning() {
		t.Errorf("Start after Stop: %v, running %v", err, dp.IsRunning())
	}
	if dp, err = compute.NewDataPlane(params); err != nil {
		t.Fatal(err)
	}
	if err := dp.Start(t.Context()); err != nil || !dp.IsRunning() {
		t.Fatalf("Start: %v, running %v", err, dp.IsRunning())
	}
	if err := dp.Start(t.Context()); !errors.Is(err, compute.ErrStarted) {
		t.Errorf("second Start: %v", err)
	}
	if dp.Client == nil || dp.Publisher == nil || dp.Dispatcher == nil {
		t.Error("parts are missing")
	}
	for range 2 {
		if err := dp.Stop(t.Context()); err != nil || dp.IsRunning() {
			t.Errorf("Stop: %v, running %v", err, dp.IsRunning())
		}
	}
	if _, err := compute.NewDataPlane(compute.DataPlaneParams{}); err == nil {
		t.Error("a data plane without anything")
	}
}

// What came up before the part that fails is taken down again; goleak sees to that.
func TestDataPlaneFailsToStart(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	startOrchestrator(t, s, "n1", &memory{}, nil)
	store := watcher.NewMemoryStore()
	params := compute.DataPlaneParams{
		Config: configure(t, s.URL(), "n1", &worker{}, store), Client: s.Connect(t), LastReceivedSeqNum: 5,
	}
	dp, err := compute.NewDataPlane(params)
	if err != nil {
		t.Fatal(err)
	}
	if err := dp.Start(t.Context()); err == nil || dp.IsRunning() {
		t.Fatalf("a ledger without the events that the scheduler has: %v, running %v", err, dp.IsRunning())
	}
	produce(t, store, 1, 5)
	if err := dp.Start(t.Context()); err != nil {
		t.Errorf("once the reason has gone: %v", err)
	}
	if err := dp.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}
