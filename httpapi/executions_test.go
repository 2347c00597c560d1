package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/nclprotocol"
)

// ordersTo is what was sent last to a node.
func (s *site) ordersTo(t *testing.T, nodeID string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stream, err := s.js.Stream(ctx, nclprotocol.InStream)
	if err != nil {
		t.Fatal(err)
	}
	m, err := stream.GetLastMsgForSubject(ctx, nclprotocol.InSubject(nodeID))
	if err != nil {
		t.Fatal(err)
	}
	return string(m.Data)
}

func TestOrderAnExecution(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.enrol(t, "n 1", store.Approved)
	const path = "/nodes/n%201/executions"
	made := s.do(t, http.MethodPost, path, `{"command":["echo","hello"],"env":{"A":"b"},"timeout_s":1.5}`).ok(t, http.StatusCreated)
	e := made.json(t)
	executionID := e["execution_id"].(string)
	if made.header.Get("Location") != "/executions/"+executionID || e["state"] != "ordered" || e["node_id"] != "n 1" {
		t.Errorf("%v %s", made.header, made.body)
	}
	if order := s.ordersTo(t, "n 1"); !strings.Contains(order, `"command":["echo","hello"],"env":{"A":"b"},"timeout_s":1.5`) {
		t.Errorf("order: %s", order)
	}
	s.do(t, http.MethodGet, "/executions/"+executionID, "").ok(t, http.StatusOK)
	s.do(t, http.MethodPost, path, `{"execution_id":"x","duration_s":5}`).ok(t, http.StatusCreated)
	s.do(t, http.MethodPost, path, `{"execution_id":"x","duration_s":5}`).problem(t, http.StatusConflict)
	s.do(t, http.MethodPost, "/nodes/unknown/executions", `{"command":["a"]}`).problem(t, http.StatusNotFound)
	list := s.do(t, http.MethodGet, "/executions?limit=1", "").ok(t, http.StatusOK).json(t)
	if items := list["items"].([]any); len(items) != 1 || list["next_cursor"] == nil {
		t.Errorf("%v", list)
	}
	s.do(t, http.MethodPost, "/executions/x/cancel", `{"reason":"enough"}`).ok(t, http.StatusAccepted)
	if order := s.ordersTo(t, "n 1"); !strings.Contains(order, `{"execution_id":"x","reason":"enough"}`) {
		t.Errorf("order: %s", order)
	}
	s.do(t, http.MethodPost, "/executions/x/cancel", "").ok(t, http.StatusAccepted)
	s.do(t, http.MethodPost, "/executions/x/cancel", "[").problem(t, http.StatusBadRequest)
	s.do(t, http.MethodPost, "/executions/x/cancel", `{"reason":"`+strings.Repeat("x", 1024)+`"}`).ok(t, http.StatusAccepted)
	s.do(t, http.MethodPost, "/executions/x/cancel", `{"reason":"`+strings.Repeat("x", 1025)+`"}`).problem(t, http.StatusUnprocessableEntity)
	s.do(t, http.MethodPost, "/executions/unknown/cancel", "").problem(t, http.StatusNotFound)
	if _, err := s.store.Executions.Create(t.Context(), execution.Execution{ExecutionID: "elsewhere", NodeID: "n", State: execution.Ordered}); err != nil {
		t.Fatal(err)
	}
	s.do(t, http.MethodGet, "/executions/elsewhere", "").ok(t, http.StatusOK) // whether or not the view shows it
	s.do(t, http.MethodGet, "/executions/unknown", "").problem(t, http.StatusNotFound)
	s.do(t, http.MethodGet, "/executions/unknown/logs", "").problem(t, http.StatusNotFound)
}

// TestExecutionsOfARun walks through those that belong to a run, which stand among others.
func TestExecutionsOfARun(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	for i := range 9 {
		e := execution.Execution{ExecutionID: fmt.Sprint("x-", i), NodeID: "n", State: execution.Ordered}
		if i >= 7 {
			e.NodeID, e.State = "other", execution.Running
		}
		if i%2 == 1 {
			e.Of = execution.Of{RunID: "r 1", ItemID: "align", Attempt: i}
		}
		if _, err := s.store.Executions.Create(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Eventually(t, "all are shown", func() bool { return s.store.Executions.View().Len() == 9 })
	var got []string
	for path := "/executions?run=r+1&limit=3"; path != ""; {
		page := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)
		for _, item := range page["items"].([]any) {
			e := item.(map[string]any)
			got = append(got, fmt.Sprint(e["execution_id"], e["run_id"], e["item_id"], e["attempt"]))
		}
		path = ""
		if cursor, more := page["next_cursor"].(string); more {
			path = "/executions?run=r+1&limit=3&cursor=" + cursor
		}
	}
	if want := "[x-1r 1align1 x-3r 1align3 x-5r 1align5 x-7r 1align7]"; fmt.Sprint(got) != want {
		t.Errorf("got %v", got)
	}
	if items := s.do(t, http.MethodGet, "/executions?run=r-2", "").ok(t, http.StatusOK).json(t)["items"].([]any); len(items) != 0 {
		t.Errorf("of another run: %v", items)
	}
	for query, want := range map[string]int{
		"node=other": 2, "state=running": 2, "state=ordered&node=n": 7, "state=running&node=n": 0, "run=r+1&state=ordered": 3, "node=": 9,
	} {
		if items := s.do(t, http.MethodGet, "/executions?"+query, "").ok(t, http.StatusOK).json(t)["items"].([]any); len(items) != want {
			t.Errorf("%s: %d, want %d", query, len(items), want)
		}
	}
	for _, query := range []string{"run=a&run=b", "Run=a", "=a", "state=waiting", "node=a&node=a"} {
		s.do(t, http.MethodGet, "/executions?"+query, "").problem(t, http.StatusUnprocessableEntity)
	}
	s.do(t, http.MethodGet, "/nodes?run=a", "").problem(t, http.StatusUnprocessableEntity)
}

func TestFaultyOrders(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.enrol(t, "n", store.Approved)
	s.do(t, http.MethodPost, "/nodes/n/executions", `{`).problem(t, http.StatusBadRequest)
	for body, paths := range map[string][]string{
		`{}`:                              {"$.command"},
		`[]`:                              {"$"},
		`{"comand":["a"]}`:                {"$.comand", "$.command"},
		`{"Command":["a"],"COMMAND":[]}`:  {"$.Command", "$.COMMAND", "$.command"},
		`{"command":["a"],"command":[7]}`: {"$.command", "$.command[0]"},
		`{"command":"a"}`:                 {"$.command"},
		`{"command":[]}`:                  {"$.command"},
		`{"command":[""]}`:                {"$.command"},
		`{"command":[null,"a\u0000"]}`:    {"$.command[0]", "$.command[1]"},
		`{"command":["a","\ud800"],"env":{"A":"\udc00\ud800","B":1,"C":null}}`: {"$.command[1]", "$.env.A", "$.env.B", "$.env.C"},
		"{\"command\":[\"a\",\"\xff\"]}":                                       {"$.command[1]"},
		`{"execution_id":"\u0001","booking_id":"..","workflow_id":"","command":["a"],"duration_s":-1,"timeout_s":-1}`: {
			"$.execution_id", "$.booking_id", "$.workflow_id", "$.duration_s", "$.timeout_s",
		},
		`{"command":["a"],"timeout_s":1e300,"duration_s":"5"}`: {"$.timeout_s", "$.duration_s"},
	} {
		p := s.do(t, http.MethodPost, "/nodes/n/executions", body).problem(t, http.StatusUnprocessableEntity)
		faults := p["errors"].([]any)
		if len(faults) != len(paths) {
			t.Errorf("%s: %v", body, faults)
			continue
		}
		for i, want := range paths {
			if got := faults[i].(map[string]any)["path"]; got != want {
				t.Errorf("%s: fault of %v, want %s", body, got, want)
			}
		}
	}
}

func TestOrdersWithoutNATS(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.enrol(t, "n", store.Approved)
	s.begun(t, "x", execution.Running)
	s.nats.Stop()
	s.do(t, http.MethodPost, "/nodes/n/executions", `{"command":["a"]}`).problem(t, http.StatusServiceUnavailable)
	s.do(t, http.MethodPost, "/executions/x/cancel", "").problem(t, http.StatusServiceUnavailable)
	s.do(t, http.MethodGet, "/executions/x", "").ok(t, http.StatusOK)
}

// begun puts an execution on record whose node is n.
func (s *site) begun(t *testing.T, executionID string, state execution.State) {
	t.Helper()
	e := execution.Execution{ExecutionID: executionID, NodeID: "n", State: execution.Ordered}
	if _, err := s.store.Executions.Create(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if state != execution.Ordered {
		s.becomes(t, executionID, state)
	}
}

// becomes changes an execution, and waits until the replica knows it.
func (s *site) becomes(t *testing.T, executionID string, state execution.State) {
	t.Helper()
	err := s.store.Executions.Change(t.Context(), executionID, func(e execution.Execution) (execution.Execution, bool) {
		e.State = state
		if e.StartedAt.IsZero() && state != execution.Queued {
			e.StartedAt = time.Now()
		}
		if state == execution.Completed {
			e.ExitCode = new(int)
		}
		return e, true
	})
	if err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the view shows it", func() bool {
		entry, _ := s.store.Executions.View().Get(executionID)
		return entry.Value.State == state
	})
}
