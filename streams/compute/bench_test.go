package compute_test

import (
	"context"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// BenchmarkHeartbeat compares a whole heartbeat, from the tick to the decoded answer, with a bare request
// and reply on the same server; both sides of each are in this process. The rounds alternate, so that the
// machine is the same for both.
func BenchmarkHeartbeat(b *testing.B) {
	s := natstest.Start(b)
	m := &memory{}
	startOrchestrator(b, s, "n1", m, nil)
	m.look(func(m *memory) { m.session = "bench" })
	beat := heartbeats(b, s)
	nc := s.Connect(b)
	answering := s.Connect(b)
	if _, err := answering.Subscribe("bare", func(r *nats.Msg) { _ = r.Respond(r.Data) }); err != nil {
		b.Fatal(err)
	}
	if err := answering.Flush(); err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 200) // about as long as a heartbeat
	var bare, whole time.Duration
	for b.Loop() {
		begun := time.Now()
		if _, err := nc.Request("bare", body, time.Minute); err != nil {
			b.Fatal(err)
		}
		bare += time.Since(begun)
		begun = time.Now()
		beat()
		whole += time.Since(begun)
	}
	b.ReportMetric(float64(bare.Microseconds())/float64(b.N), "µs/bare")
	b.ReportMetric(float64(whole.Microseconds())/float64(b.N), "µs/heartbeat")
	b.ReportMetric(float64(whole)/float64(bare), "ratio")
}

// heartbeats makes a control plane whose clock the benchmark moves; the result does one heartbeat.
func heartbeats(b *testing.B, s *natstest.Server) func() {
	b.Helper()
	clock := clockwork.NewFakeClockAt(time.Now())
	c := configure(b, s.URL(), "n1", &worker{}, watcher.NewMemoryStore())
	c.Clock, c.HeartbeatInterval, c.HeartbeatMissFactor = clock, time.Second, 10
	c.NodeInfoUpdateInterval, c.CheckpointInterval = 1000*time.Hour, 1000*time.Hour
	control := envelope.NewRegistry()
	if err := nclprotocol.RegisterControl(control); err != nil {
		b.Fatal(err)
	}
	answered := make(chan struct{}, 1)
	plane, err := compute.NewControlPlane(compute.ControlPlaneParams{
		Config: c,
		Requester: &told{
			ncl.NewPublisher(s.Connect(b), envelope.Codec{Serializer: c.MessageSerializer, Registry: control}), 0, answered,
		},
		HealthTracker: compute.NewHealthTracker(clock), IncomingSeqTracker: nclprotocol.NewSequenceTracker(), CheckpointName: "bench",
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := plane.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := plane.Stop(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return func() {
		clock.Advance(time.Second)
		<-answered
	}
}

// told is a session's publisher that says when a request was answered.
type told struct {
	ncl.Publisher
	count    uint64
	answered chan struct{}
}

func (t *told) Request(ctx context.Context, r ncl.PublishRequest) (*envelope.Message, error) {
	t.count++
	r.Message.Source, r.Message.Sequence, r.Message.Time = "bench", t.count, time.Now()
	m, err := t.Publisher.Request(ctx, r)
	t.answered <- struct{}{}
	return m, err
}
