package jet_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

func orders(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: "ORDERS", Subjects: []string{"orders.>"}, MaxMsgs: -1, MaxBytes: -1, MaxMsgSize: -1,
		MaxMsgsPerSubject: -1, Replicas: replicas,
	}
}

var reader = jetstream.ConsumerConfig{
	Durable: "reader", AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Hour, MaxDeliver: -1, MaxAckPending: 100,
}

func ensure(ctx context.Context, js jetstream.JetStream) error {
	_, err := jet.EnsureStream(ctx, js, orders(1))
	if err == nil {
		_, err = jet.EnsureConsumer(ctx, js, "ORDERS", reader)
	}
	return err
}

func TestManyEnsureAtOnce(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	var replicas sync.WaitGroup
	for range 8 {
		replicas.Go(func() {
			for range 2 {
				if err := ensure(t.Context(), js); err != nil {
					t.Error(err)
				}
			}
		})
	}
	replicas.Wait()
}

// TestWhatStandsIsOnlyAskedFor holds that nothing is made or changed that is there.
func TestWhatStandsIsOnlyAskedFor(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	if err := ensure(t.Context(), js); err != nil {
		t.Fatal(err)
	}
	requests, err := js.Conn().SubscribeSync("$JS.API.*.CREATE.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := ensure(t.Context(), js); err != nil {
		t.Fatal(err)
	}
	if n, _, err := requests.Pending(); n != 0 || err != nil {
		t.Errorf("%d requests to make something, %v", n, err)
	}
}

func TestForeignStreams(t *testing.T) {
	t.Parallel()
	other := orders(1)
	other.MaxAge = time.Hour
	for name, tc := range map[string]struct {
		stands jetstream.StreamConfig
		want   string
	}{
		"configuration": {other, "stream ORDERS has a foreign configuration: max_age is 1h0m0s, must be 0s"},
		"subjects":      {jetstream.StreamConfig{Name: "AUDIT", Subjects: []string{"orders.eu"}}, "stream ORDERS: subject orders.> is already captured by stream AUDIT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			js := natstest.Start(t).JetStream(t)
			if _, err := js.CreateStream(t.Context(), tc.stands); err != nil {
				t.Fatal(err)
			}
			needsOperator(t, ensure(t.Context(), js), tc.want)
		})
	}
}

func TestAForeignConsumer(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	if _, err := jet.EnsureStream(t.Context(), js, orders(1)); err != nil {
		t.Fatal(err)
	}
	other := reader
	other.MaxDeliver = 3
	if _, err := js.CreateConsumer(t.Context(), "ORDERS", other); err != nil {
		t.Fatal(err)
	}
	needsOperator(t, ensure(t.Context(), js), "consumer reader of stream ORDERS has a foreign configuration: max_deliver is 3, must be -1")
}

// TestCopiesNeedACluster also where the stream stands with one copy.
func TestCopiesNeedACluster(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	const want = "--js-replicas: 3 needs a NATS cluster; this server has none"
	_, err := jet.EnsureStream(t.Context(), js, orders(3))
	needsOperator(t, err, want)
	if err := ensure(t.Context(), js); err != nil {
		t.Fatal(err)
	}
	_, err = jet.EnsureStream(t.Context(), js, orders(3))
	needsOperator(t, err, want)
}

func TestOutOfReachNeedsNoOperator(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	srv.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := ensure(ctx, js); err == nil || jet.NeedsOperator(err) {
		t.Errorf("error = %v", err)
	}
}

func needsOperator(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want || !jet.NeedsOperator(errors.Join(errors.New("more"), err)) {
		t.Errorf("error = %v, want %s", err, want)
	}
}
