package peer_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	pure "oc-scheduler/store/run"
	"oc-scheduler/store/workflow"
	runs "oc-scheduler/streams/run"
)

// TestARunOnARealNode executes commands one after the other, tries again what fails, and tells why the node refuses.
func TestARunOnARealNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.node(t, processes(t.TempDir()))
	ready := make(chan struct{})
	close(ready)
	service := runs.New(w.store, runs.Config{
		Grace: time.Minute, Orders: w.orders, Ready: ready, Log: slog.New(slog.DiscardHandler),
		Node: func(pure.Place) (pure.Node, bool) { return pure.Node{ID: "n1"}, true },
	})
	natstest.Run(t, service.Run)

	ended := func(id, first, second string) pure.Record {
		t.Helper()
		doc := `{"id":"w","graph":{"items":{"c":{"compute":{"id":"r","peer_id":"p"}},"a":{"processing":{"retries":1,"command":` + first +
			`}},"b":{"processing":{"command":` + second + `}}},"links":[{"source":"a","destination":"b"},{"source":"a","destination":"c"},{"source":"b","destination":"c"}]}}`
		wf, err := workflow.Decode([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		now := w.store.Now()
		r, out := pure.New(wf, pure.Booked{
			RunID: id, Start: now, End: now.Add(time.Hour), CatchUp: time.Minute,
			Rooms: []pure.Room{{ItemID: "c", PeerID: "p", ResourceID: "r", InstanceID: "i", Start: now, End: now.Add(time.Hour)}},
		}, "token:t", now)
		if err := service.Add(t.Context(), r, out.Due); err != nil {
			t.Fatal(err)
		}
		natstest.Eventually(t, id+" has ended", func() bool {
			r, err = service.Get(t.Context(), id)
			return err == nil && r.State.Final()
		})
		return r
	}
	good := ended("r-good", `["sh","-c","echo first"]`, `["sh","-c","echo second"]`)
	if good.State != pure.Completed || good.LateS == nil {
		t.Fatalf("%s %s", good.State, good.Reason)
	}
	for i, want := range []string{"first\n", "second\n"} {
		if got := w.printed(t, good.Steps[i].Executions[0].ExecutionID); got != want {
			t.Errorf("%s printed %q", good.Steps[i].ItemID, got)
		}
	}
	bad := ended("r-bad", `["sh","-c","exit 3"]`, `["sh"]`)
	if x := bad.Steps[0].Executions; bad.Reason != "step failed: step a: on n1: exit code 3" || len(x) != 2 || *x[1].ExitCode != 3 || x[1].Attempt != 2 {
		t.Errorf("%s %s, %+v", bad.State, bad.Reason, x)
	}
	refused := ended("r-refused", `["rm","-r","/"]`, `["sh"]`)
	if !strings.HasPrefix(refused.Reason, "refused: step a: on n1: ") || len(refused.Steps[0].Executions) != 1 {
		t.Errorf("%s %s", refused.State, refused.Reason)
	}
}
