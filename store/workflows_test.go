package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/digest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/workflow"
)

func workflowJSON(id, name string) []byte {
	return fmt.Appendf(nil, `{"id":%q,"name":%q,"graph":{"items":{},"links":[]}}`, id, name)
}

// workflows drives one bucket of workflows in a test.
type workflows struct {
	t  *testing.T
	st *store.Store
}

func (w workflows) create(name string, src origin.Source) origin.Outcome {
	w.t.Helper()
	raw := workflowJSON("w", name)
	wf, err := workflow.Decode(raw)
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := w.st.Workflows.Apply(w.t.Context(), raw, wf, src)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w workflows) remove(src origin.Source) origin.Outcome {
	w.t.Helper()
	out, err := w.st.Workflows.Remove(w.t.Context(), "w", src)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w workflows) put(name string) uint64 {
	w.t.Helper()
	rev, _, _, err := w.st.Workflows.Put(w.t.Context(), "w", workflowJSON("w", name), store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{})
	if err != nil {
		w.t.Fatal(err)
	}
	return rev
}

func (w workflows) delete() origin.Outcome {
	w.t.Helper()
	if err := w.st.Workflows.Delete(w.t.Context(), "w", access.Anonymous, store.Condition{}); err != nil {
		w.t.Fatal(err)
	}
	return origin.Stored
}

// shows waits until the view shows the workflow of that name; "" is none.
func (w workflows) shows(name string) {
	w.t.Helper()
	natstest.Eventually(w.t, "the view shows "+name, func() bool {
		e, ok := w.st.Workflows.View().Get("w")
		return ok == (name != "") && (!ok || e.Value.Name() == name && string(e.Value.Raw) == string(workflowJSON("w", name)))
	})
}

func TestOldEventsChangeNoWorkflow(t *testing.T) {
	t.Parallel()
	st, _ := running(t, natstest.Start(t), store.Config{})
	w := workflows{t, st}
	newBus := origin.Source{Seq: 1, Bus: now.Add(time.Hour)}
	for i, step := range []struct {
		what string
		do   func() origin.Outcome
		want origin.Outcome
		then string
	}{
		{"create", func() origin.Outcome { return w.create("a", at(5)) }, origin.Stored, "a"},
		{"the same again", func() origin.Outcome { return w.create("a", at(5)) }, origin.Stored, "a"},
		{"an older one", func() origin.Outcome { return w.create("old", at(4)) }, origin.Stale, "a"},
		{"a newer one", func() origin.Outcome { return w.create("b", at(6)) }, origin.Stored, "b"},
		{"an older removal", func() origin.Outcome { return w.remove(at(5)) }, origin.Stale, "b"},
		{"a removal", func() origin.Outcome { return w.remove(at(7)) }, origin.Stored, ""},
		{"the same removal again", func() origin.Outcome { return w.remove(at(7)) }, origin.Stored, ""},
		{"a creation from before it", func() origin.Outcome { return w.create("b", at(6)) }, origin.Stale, ""},
		{"a client puts one", func() origin.Outcome { w.put("http"); return origin.Stored }, origin.Stored, "http"},
		{"the removal again does not hit it", func() origin.Outcome { return w.remove(at(7)) }, origin.Stale, "http"},
		{"a newer event does", func() origin.Outcome { return w.create("c", at(8)) }, origin.Stored, "c"},
		{"a client changes it", func() origin.Outcome { w.put("http2"); return origin.Stored }, origin.Stored, "http2"},
		{"the creation again leaves that", func() origin.Outcome { return w.create("c", at(8)) }, origin.Stored, "http2"},
		{"a client deletes it", w.delete, origin.Stored, ""},
		{"the creation again does not bring it back", func() origin.Outcome { return w.create("c", at(8)) }, origin.Stale, ""},
		{"sequences of a new bus start again", func() origin.Outcome { return w.create("d", newBus) }, origin.Stored, "d"},
		{"and the old bus is over", func() origin.Outcome { return w.remove(at(100)) }, origin.Stale, "d"},
	} {
		if got := step.do(); got != step.want {
			t.Errorf("%d %s: %v, want %v", i, step.what, got, step.want)
		}
		w.shows(step.then)
	}
}

func TestARemovalMayComeBeforeItsCreation(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	w := workflows{t, st}
	if out := w.remove(at(2)); out != origin.Stored {
		t.Errorf("removal: %v", out)
	}
	if out := w.create("late", at(1)); out != origin.Stale {
		t.Errorf("late creation: %v", out)
	}
	stream, err := js.Stream(t.Context(), "KV_workflows")
	if err != nil {
		t.Fatal(err)
	}
	m, err := stream.GetLastMsgForSubject(t.Context(), "$KV.workflows.w")
	if err != nil || m.Header.Get("Oc-Source-Seq") != "2" || m.Header.Get("Nats-TTL") != "" || m.Header.Get("KV-Operation") != "PURGE" {
		t.Errorf("tombstone = %v, %v", m, err)
	}
}

func TestConditionsOfClients(t *testing.T) {
	t.Parallel()
	st, _ := open(t, natstest.Start(t), store.Config{})
	put := func(c store.Condition) (uint64, bool, error) {
		revision, _, created, err := st.Workflows.Put(t.Context(), "w", workflowJSON("w", "x"), store.Author{Subject: access.Anonymous, Keep: true}, c)
		return revision, created, err
	}
	del := func(c store.Condition) error { return st.Workflows.Delete(t.Context(), "w", access.Anonymous, c) }

	wantErr(t, del(store.Condition{}), kv.ErrNotFound)
	wantErr(t, del(store.Condition{Exists: true}), store.ErrPrecondition)
	_, _, err := put(store.Condition{Contents: []digest.Digest{{1}}})
	wantErr(t, err, store.ErrPrecondition)
	_, _, err = put(store.Condition{Contents: []digest.Digest{}}) // If-Match with nothing that can match
	wantErr(t, err, store.ErrPrecondition)
	rev, created, err := put(store.Condition{Absent: true})
	if err != nil || !created {
		t.Fatalf("%v, %v", created, err)
	}
	_, _, err = put(store.Condition{Absent: true})
	wantErr(t, err, store.ErrPrecondition)
	stands := digest.Of(workflowJSON("w", "x"))
	next, created, err := put(store.Condition{Contents: []digest.Digest{{1}, stands}})
	if err != nil || created || next <= rev {
		t.Fatalf("%d, %v, %v", next, created, err)
	}
	_, _, err = put(store.Condition{Contents: []digest.Digest{digest.Of(workflowJSON("w", "y"))}})
	wantErr(t, err, store.ErrPrecondition)
	if _, _, err := put(store.Condition{Exists: true}); err != nil {
		t.Error(err)
	}
	last, err := st.Workflows.Get(t.Context(), "w")
	if err != nil || string(last.Value.Raw) != string(workflowJSON("w", "x")) || last.Value.ID() != "w" {
		t.Errorf("Get = %s, %v", last.Value.Raw, err)
	}
	wantErr(t, del(store.Condition{Contents: []digest.Digest{{1}}}), store.ErrPrecondition)
	if err := del(store.Condition{Contents: []digest.Digest{stands}}); err != nil {
		t.Error(err)
	}
	_, err = st.Workflows.Get(t.Context(), "w")
	wantErr(t, err, kv.ErrNotFound)
}

func TestOfManyClientsWithOneContentOneWins(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, _ := open(t, srv, store.Config{})
	workflows{t, st}.put("first")
	first := digest.Of(workflowJSON("w", "first"))
	const clients = 20
	won := make(chan bool, clients)
	for i := range clients {
		replica := st
		if i%2 == 1 {
			replica, _ = open(t, srv, store.Config{})
		}
		go func() {
			_, _, _, err := replica.Workflows.Put(context.Background(), "w", workflowJSON("w", fmt.Sprint(i)), store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{Contents: []digest.Digest{first}})
			won <- err == nil
		}()
	}
	n := 0
	for range clients {
		if natstest.Receive(t, won) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d clients won", n)
	}
}

func TestABrokenWorkflowIsReportedAndMended(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	bucket, err := js.KeyValue(t.Context(), "workflows")
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"w": "{", "other": string(workflowJSON("w", "x"))} {
		if _, err := bucket.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Eventually(t, "both are reported", func() bool { return len(st.Workflows.View().Broken()) == 2 })
	w := workflows{t, st}
	w.shows("")
	if out := w.create("mended", at(1)); out != origin.Stored {
		t.Errorf("outcome = %v", out)
	}
	w.shows("mended")
}

// TestAWorkflowStoredWithoutAGraph, as the version before did, stays.
func TestAWorkflowStoredWithoutAGraph(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	bucket, err := js.KeyValue(t.Context(), "workflows")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.Put(t.Context(), "w", []byte(`{"id":"w","name":"before"}`)); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the view shows it", func() bool {
		e, ok := st.Workflows.View().Get("w")
		return ok && e.Value.Name() == "before"
	})
	if broken := st.Workflows.View().Broken(); len(broken) > 0 {
		t.Errorf("broken: %v", broken)
	}
}
