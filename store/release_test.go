package store_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/planners"
)

// stored makes the streams of an earlier release with what it wrote, and counts the values of each bucket.
func stored(t *testing.T, js jetstream.JetStream, file string) map[string]int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]int{}
	for line := range bytes.Lines(data) {
		var m struct {
			Subject, Data string
			Header        nats.Header
		}
		var c jetstream.StreamConfig
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if m.Subject == "" {
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			if _, err := js.CreateStream(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if ttl, err := time.ParseDuration(m.Header.Get(jetstream.MsgTTLHeader)); err == nil && ttl < time.Hour {
			m.Header.Set(jetstream.MsgTTLHeader, "1h") // a lease would end on a slow machine
		}
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: m.Subject, Header: m.Header, Data: []byte(m.Data)}); err != nil {
			t.Fatalf("%s: %v", m.Subject, err)
		}
		if bucket := strings.Split(m.Subject, ".")[1]; strings.HasPrefix(m.Subject, "$KV.") && m.Header.Get("KV-Operation") == "" {
			values[bucket]++
		}
	}
	return values
}

// TestWhatTheReleaseBeforeHasStored is read as it was meant, and goes on.
func TestWhatTheReleaseBeforeHasStored(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	want := stored(t, srv.JetStream(t), "../testdata/releases/2026-11-30.jsonl")
	st, js := open(t, srv, store.Config{})
	if err := jet.MarkStreams(t.Context(), js, store.Expect(1)); err != nil {
		t.Error(err)
	}
	got := map[string]int{}
	for x, err := range store.Examine(t.Context(), js, func(string) bool { return true }) {
		if err != nil || len(x.Faults) > 0 {
			t.Errorf("%s: %v, %v", x.Bucket, x.Faults, err)
		}
		if x.Values > 0 { // there may be buckets more by now
			got[x.Bucket] = x.Values
		}
	}
	if !maps.Equal(got, want) || len(got) != 9 {
		t.Errorf("values by bucket: %v, want %v", got, want)
	}
	natstest.Run(t, st.Run)
	for bucket, view := range st.Views() {
		natstest.Eventually(t, "the view of "+bucket+" is loaded", view.Current)
		if broken := view.Broken(); len(broken) > 0 {
			t.Errorf("%s: %v", bucket, broken)
		}
	}
	remembers(t, st)
	goesOn(t, st)
}

// remembers looks for one value of each kind.
func remembers(t *testing.T, st *store.Store) {
	t.Helper()
	workflow, _ := st.Workflows.View().Get("été 1/2")
	if workflow.Value.Workflow == nil || workflow.Value.Name() != "align reads" {
		t.Errorf("workflow: %+v", workflow)
	}
	if _, stands := st.Workflows.View().Get("gone"); stands {
		t.Error("a workflow that was removed stands")
	}
	p, _ := st.Planners.View().Get("peer-a")
	if p.Value.Planner == nil || p.Value.SourceSeq != 5 || p.Value.ExpiresAt.Year() != 2126 {
		t.Errorf("planner: %+v", p)
	}
	if _, stands := st.Planners.View().Get("peer.x"); stands {
		t.Error("a planner that nobody watched any more stands")
	}
	if e, ok := st.Interest.View().Get("peer-b"); !ok || len(e.Value) != 1 || e.Value[0] != "old-1" {
		t.Errorf("interest: %+v", e)
	}
	if e, ok := st.Requests.View().Get("peer-b"); !ok || e.Value.By != "old-1" || e.Value.Attempt != 3 {
		t.Errorf("request: %+v", e)
	}
	if e, ok := st.Leases.View().Get("old-1"); !ok || e.Value.Address != "127.0.0.1:43403" {
		t.Errorf("lease: %+v", e)
	}
	if e, ok := st.Nodes.View().Get("south.1"); !ok || e.Value.Membership != store.Rejected || e.Value.State != store.NodeGone || len(e.Value.Info) == 0 {
		t.Errorf("node: %+v", e)
	}
	if e, ok := st.Liveness.View().Get("north-1"); !ok || e.Value.LastSchedulerSequence != 8 || e.Value.Free["gpus"] != 8 {
		t.Errorf("pulse: %+v", e)
	}
	if e, ok := st.Partitions.View().Get("12"); !ok || e.Value.Replica != "old-1" {
		t.Errorf("partition: %+v", e)
	}
	for id, state := range map[string]execution.State{
		"done": execution.Completed, "failed": execution.Failed, "dropped": execution.Cancelled, "second": execution.Running, "waits": execution.Ordered,
	} {
		if e, ok := st.Executions.View().Get(id); !ok || e.Value.State != state || e.Value.NodeID != "north-1" || e.Value.SentAs == 0 {
			t.Errorf("execution %s: %+v", id, e)
		}
	}
	if c, _, err := st.Executions.Cursor(t.Context(), "north-1"); err != nil || c.Sequence != 18 {
		t.Errorf("cursor: %+v, %v", c, err)
	}
}

// goesOn changes values that the release before has written.
func goesOn(t *testing.T, st *store.Store) {
	t.Helper()
	before, _ := st.Planners.View().Get("peer-a")
	apply(t, st, plannerJSON("peer-a", now, 7), at(6))
	after := shows(t, st, "peer-a", func(r planners.Record) bool { return r.SourceSeq == 6 })
	if !after.Value.FirstSeenAt.Equal(before.Value.FirstSeenAt) || !after.Value.ExpiresAt.Equal(before.Value.ExpiresAt) {
		t.Errorf("the planner's life begins anew: %+v", after)
	}
	if _, _, created, err := st.Workflows.Put(t.Context(), "wf-1", workflowJSON("wf-1", "changed"), store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil || created {
		t.Errorf("workflow: created %t, %v", created, err)
	}
	err := st.Executions.Change(t.Context(), "second", func(e execution.Execution) (execution.Execution, bool) {
		return e.Apply(execution.Event{
			EventRef: execution.EventRef{Ledger: e.Event.Ledger, Sequence: 19}, ExecutionID: "second", NodeID: "north-1", State: execution.Completed, At: now,
		})
	})
	if e, again := st.Executions.Get(t.Context(), "second"); err != nil || again != nil || e.State != execution.Completed {
		t.Errorf("execution: %+v, %v, %v", e, err, again)
	}
}
