package jet_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

func readerOf(batch int) jet.Reader {
	return jet.Reader{
		Stream: "ORDERS", Consumer: "reader", Silence: 5 * time.Second, Explicit: true,
		Request: jet.Request{Batch: batch, Expires: 10 * time.Second, Heartbeat: time.Second},
	}
}

// placed is a stream with orders, and its reader's consumer.
func placed(t *testing.T, orders int) (*natstest.Server, jetstream.JetStream) {
	t.Helper()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	if err := ensure(t.Context(), js); err != nil {
		t.Fatal(err)
	}
	for range orders {
		place(t, js, nil)
	}
	return srv, js
}

func place(t *testing.T, js jetstream.JetStream, h nats.Header) {
	t.Helper()
	if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: "orders.one", Header: h}); err != nil {
		t.Fatal(err)
	}
}

// inHand is how many messages the consumer has delivered that wait for an answer.
func inHand(t *testing.T, js jetstream.JetStream) int {
	t.Helper()
	cons, err := js.Consumer(t.Context(), "ORDERS", "reader")
	if err != nil {
		t.Fatal(err)
	}
	return cons.CachedInfo().NumAckPending
}

var errEnough = errors.New("enough")

// until reads n messages and acknowledges each.
func until(n int) func(*nats.Msg) error {
	return func(m *nats.Msg) error {
		if err := m.AckSync(); err != nil {
			return err
		}
		if n--; n == 0 {
			return errEnough
		}
		return nil
	}
}

func TestNoMessageFoolsAReader(t *testing.T) {
	t.Parallel()
	_, js := placed(t, 0)
	for code, reason := range map[string]string{
		"100": "Idle Heartbeat", "404": "No Messages", "408": "Request Timeout", "409": "Consumer Deleted", "503": "", "777": "Novelty", "": "Batch Completed",
	} {
		place(t, js, nats.Header{"Status": {code}, "Description": {reason}})
	}
	place(t, js, nil)
	r := readerOf(3) // more than one request
	if err := r.Run(t.Context(), js, until(8)); !errors.Is(err, errEnough) {
		t.Errorf("Run = %v", err)
	}
}

// gate has room for some messages at a time.
type gate struct {
	room  atomic.Int64
	freed chan struct{}
}

func (g *gate) Room() int              { return int(g.room.Load()) }
func (g *gate) Freed() <-chan struct{} { return g.freed }

func TestAGateHoldsBack(t *testing.T) {
	t.Parallel()
	_, js := placed(t, 5)
	g := &gate{freed: make(chan struct{}, 1)}
	g.room.Store(2)
	r := readerOf(64)
	r.Gate = g
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got, done := make(chan *nats.Msg, 5), make(chan error, 1)
	go func() {
		done <- r.Run(ctx, js, func(m *nats.Msg) error {
			g.room.Add(-1)
			got <- m
			return nil
		})
	}()
	<-got
	<-got
	natstest.Eventually(t, "two are in hand", func() bool { return inHand(t, js) == 2 })
	g.room.Store(3)
	g.freed <- struct{}{}
	for range 3 {
		<-got
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v", err)
	}
}

// TestWhatCameTooLate is given back at once when the reader was stopped, and received else.
func TestWhatCameTooLate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stop     bool
		received int
	}{"stopped": {true, 1}, "failed": {false, 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, js := placed(t, 5)
			observer := srv.JetStream(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			received, before := 0, js.Conn().Stats().InMsgs
			err := readerOf(64).Run(ctx, js, func(*nats.Msg) error {
				if received++; received > 1 {
					return nil
				}
				natstest.Eventually(t, "all have come", func() bool {
					return inHand(t, observer) == 5 && js.Conn().Stats().InMsgs >= before+5
				})
				if err := js.Conn().Flush(); err != nil { // and are where the reader finds them
					t.Error(err)
				}
				if tc.stop {
					cancel()
				}
				return errEnough
			})
			if !errors.Is(err, errEnough) || received != tc.received {
				t.Errorf("%d received, Run = %v", received, err)
			}
			if !tc.stop {
				return
			}
			if err := readerOf(64).Run(t.Context(), js, until(4)); !errors.Is(err, errEnough) { // else after an hour
				t.Errorf("reading what was given back: %v", err)
			}
		})
	}
}

func TestSilenceEndsAReader(t *testing.T) {
	t.Parallel()
	srv, js := placed(t, 0)
	r := readerOf(1)
	r.Silence = 100 * time.Millisecond // less than until a heartbeat
	if err := r.Run(t.Context(), js, until(1)); !errors.Is(err, jet.ErrSilent) {
		t.Errorf("Run = %v", err)
	}
	lost := js.Conn().StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	defer js.Conn().RemoveStatusListener(lost)
	r = readerOf(1)
	r.Lost = lost
	idle := make(chan struct{}, 100)
	r.Idle = func() { idle <- struct{}{} }
	done := make(chan error, 1)
	go func() { done <- r.Run(t.Context(), js, until(1)) }()
	<-idle // by a heartbeat
	srv.Stop()
	if err := <-done; err == nil || errors.Is(err, jet.ErrSilent) || errors.Is(err, context.Canceled) {
		t.Errorf("Run = %v", err)
	}
}
