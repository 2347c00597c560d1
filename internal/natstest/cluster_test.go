package natstest_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

// TestAClusterLosesItsLeaders holds that servers, in this process or in their own, can be lost and
// come back while what is stored stays.
func TestAClusterLosesItsLeaders(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) *natstest.Cluster{
		"in process": func(tb testing.TB) *natstest.Cluster { tb.Helper(); return natstest.StartCluster(tb, 3) },
		"processes":  func(tb testing.TB) *natstest.Cluster { tb.Helper(); return natstest.StartProcesses(tb, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			js, err := jetstream.New(c.Connect(t))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}, Replicas: 3}); err != nil {
				t.Fatal(err)
			}
			stored := publish(t, js)
			for _, leader := range []*natstest.Server{c.StreamLeader(t, "S"), c.MetaLeader(t)} {
				leader.Kill()
				stored = publish(t, js)
				leader.Restart(t)
				c.AwaitHealthy(t)
			}
			isolated := c.StreamLeader(t, "S")
			c.Isolate(isolated)
			natstest.Eventually(t, "another leader", func() bool {
				return c.MetaLeader(t) != isolated && c.StreamLeader(t, "S") != isolated
			})
			c.Rejoin(isolated)
			c.AwaitHealthy(t)
			c.AwaitLed(t)
			if last := lastOf(t, js); last < stored {
				t.Errorf("the stream ends at %d; sequence %d was acknowledged", last, stored)
			}
		})
	}
}

// lastOf is where the stream ends, however often the question is lost.
func lastOf(t *testing.T, js jetstream.JetStream) (last uint64) {
	t.Helper()
	natstest.Eventually(t, "the stream answers", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		stream, err := js.Stream(ctx, "S")
		if err == nil {
			last = stream.CachedInfo().State.LastSeq
		}
		return err == nil
	})
	return last
}

// publish stores a message, however long it takes.
func publish(t *testing.T, js jetstream.JetStream) (sequence uint64) {
	t.Helper()
	natstest.Eventually(t, "a message is stored", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ack, err := js.Publish(ctx, "s", nil)
		if err == nil {
			sequence = ack.Sequence
		}
		return err == nil
	})
	return sequence
}
