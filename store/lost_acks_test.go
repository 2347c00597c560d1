package store_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
	"oc-scheduler/store/workflow"
)

// lostAcks is a real JetStream connection that loses the answers to some writes.
type lostAcks struct {
	jetstream.JetStream
	left   atomic.Int32 // how many answers are still to be lost
	writes atomic.Int32

	meanwhile func() // happens before the loss is noticed; may be nil
}

func (l *lostAcks) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	l.writes.Add(1)
	ack, err := l.JetStream.PublishMsg(ctx, m, opts...)
	if err == nil && l.left.Add(-1) >= 0 {
		if l.meanwhile != nil {
			l.meanwhile()
		}
		return nil, context.DeadlineExceeded
	}
	return ack, err
}

func TestAWriteWhoseAnswerIsLostIsNotRepeated(t *testing.T) {
	t.Parallel()
	js := &lostAcks{JetStream: natstest.Start(t).JetStream(t)}
	st, err := store.Open(t.Context(), js, store.Config{}, discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw := workflowJSON("w", "x")
	wf, err := workflow.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for _, step := range []struct {
		what string
		do   func() (bool, error)
	}{
		{"apply", func() (bool, error) { return apply(t, st, plannerJSON("p", now, 1), at(1)) == origin.Stored, nil }},
		{"apply on top", func() (bool, error) { return apply(t, st, plannerJSON("p", now, 2), at(2)) == origin.Stored, nil }},
		{"end", func() (bool, error) { return true, st.Planners.End(ctx, "p", "", always) }},
		{"workflow", func() (bool, error) {
			out, err := st.Workflows.Apply(ctx, raw, wf, at(1))
			return out == origin.Stored, err
		}},
		{"remove", func() (bool, error) {
			out, err := st.Workflows.Remove(ctx, "w", at(2))
			return out == origin.Stored, err
		}},
		{"put", func() (bool, error) {
			_, _, created, err := st.Workflows.Put(ctx, "w", raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{Absent: true})
			return created, err
		}},
		{"delete", func() (bool, error) {
			return true, st.Workflows.Delete(ctx, "w", access.Anonymous, store.Condition{Exists: true})
		}},
		{"add", func() (bool, error) { return true, st.Interest.Add(ctx, "p", "r") }},
		{"last", func() (bool, error) {
			end, err := st.Interest.Remove(ctx, "p", "r")
			return end != "", err
		}},
		{"claim", func() (bool, error) {
			c, _, won, err := st.Requests.Claim(ctx, "p", store.Asking{By: "r"}, now)
			return won && c.Attempt == 1, err
		}},
		{"lease", func() (bool, error) {
			_, err := st.Leases.Acquire(ctx, "r", lease("a"))
			return true, err
		}},
	} {
		js.left.Store(1)
		js.writes.Store(0)
		if ok, err := step.do(); err != nil || !ok {
			t.Errorf("%s: %v, %v", step.what, ok, err)
		}
		if n := js.writes.Load(); n != 1 {
			t.Errorf("%s: written %d times", step.what, n)
		}
	}
}

// A planner whose storing was not acknowledged and that is gone by now was stored or was not: nobody
// may say that it was ignored.
func TestAPlannerThatMayHaveBeenStoredIsNotStale(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	other, _ := running(t, srv, store.Config{})
	for name, viewed := range map[string]bool{"in view": true, "out of view": false} {
		t.Run(name, func(t *testing.T) {
			js := &lostAcks{JetStream: srv.JetStream(t)}
			st, err := store.Open(t.Context(), js, store.Config{}, discard, nil)
			if err != nil {
				t.Fatal(err)
			}
			apply(t, other, plannerJSON(name, now, 1), at(1))
			if viewed {
				natstest.Run(t, st.Run)
				shows(t, st, name, func(planners.Record) bool { return true })
			}
			js.meanwhile = func() { apply(t, other, plannerJSON(name, now.Add(time.Second), 3), at(3)) }
			js.left.Store(1)
			raw := plannerJSON(name, now, 2)
			_, err = st.Planners.Apply(t.Context(), raw, decode(t, raw), at(2))
			wantErr(t, err, kv.ErrUnavailable)
			if out := apply(t, st, raw, at(2)); out != origin.Stale {
				t.Errorf("delivered again: %v", out)
			}
		})
	}
}

func TestABurstForOnePeerHasNoConflicts(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	st, err := store.Open(t.Context(), natstest.Start(t).JetStream(t), store.Config{}, discard, reg)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, st.Run)
	natstest.Receive(t, st.Planners.View().Loaded())
	for i := range 300 {
		apply(t, st, plannerJSON("p", now, i), at(uint64(i+1)))
	}
	shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 299 })
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if strings.HasSuffix(f.GetName(), "conflicts_total") && m.GetCounter().GetValue() > 0 {
				t.Errorf("conflicts: %v", m)
			}
		}
	}
}
