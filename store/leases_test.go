package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
)

func lease(address string) store.Lease {
	return store.Lease{Version: "v1", Address: address, StartedAt: now}
}

func acquire(t *testing.T, st *store.Store, l store.Lease) *store.Held {
	t.Helper()
	h, err := st.Leases.Acquire(t.Context(), "r", l)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func hasLease(t *testing.T, st *store.Store, want store.Lease) {
	t.Helper()
	natstest.Eventually(t, "the view shows the lease", func() bool {
		e, ok := st.Leases.View().Get("r")
		return ok && e.Value == want
	})
}

// lossEvents records what becomes of a lease.
type lossEvents struct {
	mu       sync.Mutex
	lost     []error
	regained int
}

func (l *lossEvents) events() store.LeaseEvents {
	return store.LeaseEvents{
		OnLost: func(err error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.lost = append(l.lost, err)
		},
		OnRegained: func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.regained++
		},
	}
}

func (l *lossEvents) counts() (lost, regained int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lost), l.regained
}

func TestALeaseLivesWhileItIsRenewed(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{LeaseTTL: 2 * time.Second})
	h := acquire(t, st, lease("a:1"))
	hasLease(t, st, lease("a:1"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	var l lossEvents
	go func() { done <- h.Run(ctx, l.events()) }()
	bucket, err := js.KeyValue(t.Context(), "replicas")
	if err != nil {
		t.Fatal(err)
	}
	first, err := bucket.Get(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it lives longer than its TTL", func() bool {
		e, err := bucket.Get(t.Context(), "r")
		return err == nil && e.Created().Sub(first.Created()) > 2200*time.Millisecond
	})
	cancel()
	if err := natstest.Receive(t, done); err != nil {
		t.Error(err)
	}
	natstest.Eventually(t, "it ends by itself", func() bool { return st.Leases.View().Len() == 0 })
	if lost, regained := l.counts(); lost != 0 || regained != 0 {
		t.Errorf("lost %d times, regained %d times", lost, regained)
	}
}

func TestALivingLeaseIsWaitedFor(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, _ := running(t, srv, store.Config{LeaseTTL: 2 * time.Second})
	acquire(t, st, lease("dead:1")) // nobody renews it
	began := time.Now()
	acquire(t, st, lease("new:1"))
	if waited := time.Since(began); waited < time.Second {
		t.Errorf("taken after %v, while the other lived", waited)
	}
	hasLease(t, st, lease("new:1"))
}

func TestALeaseThatLivesOnIsHeld(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, _ := running(t, srv, store.Config{LeaseTTL: time.Second})
	h := acquire(t, st, lease("a:1"))
	natstest.Run(t, func(ctx context.Context) error { return h.Run(ctx, store.LeaseEvents{}) })
	_, err := st.Leases.Acquire(t.Context(), "r", lease("b:1"))
	wantErr(t, err, store.ErrLeaseHeld)
}

func TestADrainingLeaseIsTakenAtOnceAndItsOwnerIsTold(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := running(t, srv, store.Config{LeaseTTL: 3 * time.Second})
	old := acquire(t, st, lease("a:1"))
	var l lossEvents
	natstest.Run(t, func(ctx context.Context) error { return old.Run(ctx, l.events()) })
	if err := old.SetDraining(t.Context()); err != nil {
		t.Fatal(err)
	}
	drained := lease("a:1")
	drained.Draining = true
	hasLease(t, st, drained)
	began := time.Now()
	acquire(t, st, lease("b:1"))
	if waited := time.Since(began); waited > 2*time.Second {
		t.Errorf("the lease of a drained replica was waited for, %v", waited)
	}
	natstest.Eventually(t, "the old owner is told", func() bool { lost, _ := l.counts(); return lost == 1 })
	l.mu.Lock()
	wantErr(t, l.lost[0], store.ErrLeaseHeld)
	l.mu.Unlock()
	bucket, err := js.KeyValue(t.Context(), "replicas")
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Delete(t.Context(), "r"); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it is held again when the other has ended", func() bool { _, regained := l.counts(); return regained == 1 })
}

func TestALeaseIsLostAndRegainedWithTheServer(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, _ := running(t, srv, store.Config{LeaseTTL: time.Second})
	h := acquire(t, st, lease("a:1"))
	var l lossEvents
	natstest.Run(t, func(ctx context.Context) error { return h.Run(ctx, l.events()) })
	srv.Stop()
	natstest.Eventually(t, "it cannot be trusted any more", func() bool { lost, _ := l.counts(); return lost == 1 })
	l.mu.Lock()
	wantErr(t, l.lost[0], kv.ErrUnavailable)
	l.mu.Unlock()
	srv.Restart(t)
	natstest.Eventually(t, "it is held again", func() bool { _, regained := l.counts(); return regained == 1 })
	hasLease(t, st, lease("a:1"))
}

// TestALeaseTellsWhenNobodyAnswers: an answer is news of the cluster, whatever it says.
func TestALeaseTellsWhenNobodyAnswers(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := running(t, srv, store.Config{LeaseTTL: time.Second})
	h := acquire(t, st, lease("a:1"))
	var l lossEvents
	natstest.Run(t, func(ctx context.Context) error { return h.Run(ctx, l.events()) })
	if h.Overdue() {
		t.Error("overdue at once")
	}
	srv.Stop()
	natstest.Eventually(t, "overdue without a server", h.Overdue)
	srv.Restart(t)
	natstest.Eventually(t, "heard of again", func() bool { return !h.Overdue() })
	bucket, err := js.KeyValue(t.Context(), "replicas")
	if err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the lease is another's", func() bool {
		_, err := bucket.Put(t.Context(), "r", []byte(`{"address": "b:1"}`))
		return err == nil
	})
	taken := time.Now()
	natstest.Eventually(t, "an answer that says so", func() bool { return h.Unheard() < time.Since(taken) })
	if err := h.SetDraining(t.Context()); !errors.Is(err, store.ErrLeaseHeld) {
		t.Errorf("renewal: %v", err)
	}
}
