package peer_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	pure "oc-scheduler/store/run"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
	runs "oc-scheduler/streams/run"
)

// TestAStepInTimeWhoseHolderWasKilled is completed, though its node's word is handled long after the booking.
func TestAStepInTimeWhoseHolderWasKilled(t *testing.T) {
	t.Parallel()
	w := &world{server: natstest.Start(t)}
	link := natstest.StartProxy(t, w.server.Addr())
	holder := w.replica(t, link.URL(), "r1")
	natstest.Run(t, holder.Run)
	survivor := w.replica(t, w.server.URL(), "r2") // which is only about to help
	w.node(t, processes(t.TempDir()))
	ready := make(chan struct{})
	close(ready)
	service := runs.New(w.store, runs.Config{
		Grace: time.Minute, Orders: survivor.Orders, Ready: ready, Log: slog.New(slog.DiscardHandler),
		Node: func(pure.Place) (pure.Node, bool) { return pure.Node{ID: "n1"}, true },
	})
	natstest.Run(t, service.Run)

	r, end := w.begun(t, service)
	before := w.told(t)
	link.Cut()
	end()
	natstest.Eventually(t, "the node tells", func() bool { return w.told(t).LastSeq > before.LastSeq })
	over := w.told(t).LastTime
	if over.After(r.End) {
		t.Fatalf("the node took until %v to end, which is booked until %v", over, r.End)
	}
	natstest.Eventually(t, "the booking has ended, and the node is asked to stop", func() bool {
		got, err := service.Get(t.Context(), r.ID)
		return err == nil && w.store.Now().After(r.End) && (got.State.Final() || !got.Work.Tasks[0].Tries[0].StopAt.IsZero())
	})
	natstest.Run(t, survivor.Run)
	natstest.Eventually(t, "the run has ended", func() bool {
		got, err := service.Get(t.Context(), r.ID)
		r = got
		return err == nil && got.State.Final()
	})
	if r.State != pure.Completed {
		t.Errorf("%s %s; it was over at %v, and booked until %v", r.State, r.Reason, over, r.End)
	}
}

// replica is one's end of the nodes' connections, over a connection of its own; the last one's store is the world's.
func (w *world) replica(t *testing.T, url, id string) *orchestrator.Service {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectBufSize(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err == nil {
		w.store, err = store.Open(t.Context(), js, store.Config{Replicas: 1}, slog.New(slog.DiscardHandler), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := orchestrator.Open(t.Context(), js, w.store, orchestrator.Config{ReplicaID: id, LeaseTTL: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, w.store.Run)
	w.nc = nc
	return s
}

// begun is a run whose step is executed, with half of its time left at least, until end.
func (w *world) begun(t *testing.T, service *runs.Service) (r pure.Record, end func()) {
	t.Helper()
	for booked := 3 * time.Second; ; booked *= 2 {
		id := fmt.Sprint("r-", booked)
		file := filepath.Join(t.TempDir(), "end")
		end = func() {
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r = w.waiting(t, service, id, file, booked)
		natstest.Eventually(t, "the step runs", func() bool { return !w.execution(pure.ExecutionID(id, "a", "c", 1)).StartedAt.IsZero() })
		if r.End.Sub(w.store.Now()) > booked/2 {
			return r, end
		}
		end()
	}
}

// waiting begins a run whose only step waits for a file.
func (w *world) waiting(t *testing.T, service *runs.Service, id, file string, booked time.Duration) pure.Record {
	t.Helper()
	doc := fmt.Appendf(nil, `{"id":"w","graph":{"items":{"c":{"compute":{"id":"r","peer_id":"p"}},"a":{"processing":{"command":["sh","-c",%q]}}},"links":[{"source":"a","destination":"c"}]}}`,
		"until test -e "+file+"; do sleep 0.02; done")
	wf, err := workflow.Decode(doc)
	if err != nil {
		t.Fatal(err)
	}
	now := w.store.Now()
	r, out := pure.New(wf, pure.Booked{
		RunID: id, Start: now, End: now.Add(booked), CatchUp: time.Minute,
		Rooms: []pure.Room{{ItemID: "c", PeerID: "p", ResourceID: "r", InstanceID: "i", Start: now, End: now.Add(booked)}},
	}, "token:t", now)
	if err := service.Add(t.Context(), r, out.Due); err != nil {
		t.Fatal(err)
	}
	return r
}

// told is what the nodes have told so far.
func (w *world) told(t *testing.T) jetstream.StreamState {
	t.Helper()
	js, err := jetstream.New(w.nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), nclprotocol.OutStream)
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().State
}
