package orchestrator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// poison are payloads of ExecutionChanged, and whether they can be used.
var poison = map[string]struct {
	payload string
	fit     bool
}{
	"no id":          {`{"state":"queued"}`, false},
	"empty id":       {`{"execution_id":"","state":"queued"}`, false},
	"control id":     {`{"execution_id":"a\u0000b","state":"queued"}`, false},
	"long id":        {`{"execution_id":"` + strings.Repeat("i", 129) + `","state":"queued"}`, false},
	"control line":   {`{"execution_id":"` + strings.Repeat("i", 4100) + `","state":"queued"}`, false},
	"huge id":        {`{"execution_id":"` + strings.Repeat("=", 300<<10) + `","state":"queued"}`, false},
	"long booking":   {`{"execution_id":"b","booking_id":"` + strings.Repeat("i", 129) + `","state":"queued"}`, false},
	"long workflow":  {`{"execution_id":"w","workflow_id":"` + strings.Repeat("i", 129) + `","state":"queued"}`, false},
	"huge state":     {`{"execution_id":"s","state":"` + strings.Repeat("\\u0001", 100<<10) + `"}`, false},
	"year 10000":     {`{"execution_id":"y","state":"queued","at":"9999-12-31T23:59:59-14:00"}`, false},
	"year -1":        {`{"execution_id":"z","state":"queued","at":"0000-01-01T00:00:00+14:00"}`, false},
	"huge exit code": {`{"execution_id":"e","state":"failed","exit_code":1e400}`, false},
	"null":           {`null`, false},
	"empty":          {``, false},
	"deep":           {`{"execution_id":"d","state":"queued","x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, false},
	"no UTF-8":       {"{\"execution_id\":\"u\xff\",\"state\":\"queued\"}", true},
	"long reason":    {`{"execution_id":"r","state":"failed","reason":"` + strings.Repeat("<", 500<<10) + `"}`, true},
}

// TestPoison is set aside, and what follows it is handled: nothing that a node may say stops its line, or
// takes a replica's connection.
func TestPoison(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	keepDeadLetters(t, a.js)
	nc := srv.Connect(t)
	nodes := map[string]*node{}
	unfit := 0
	for name, tc := range poison {
		n := newNode(t, nc, name)
		n.accepted(t)
		nodes[name] = n
		for seq, payload := range []string{tc.payload, fmt.Sprintf(`{"execution_id":"after %s","state":"queued"}`, name)} {
			frame, err := n.codec.Serializer.Serialize(&envelope.EncodedMessage{
				Header:  envelope.Header{Type: nclprotocol.TypeExecutionChanged, Source: n.ledger, Sequence: uint64(seq) + 1, Previous: uint64(seq)},
				Payload: []byte(payload),
			})
			if err != nil {
				t.Fatal(err)
			}
			n.publish(t, frame)
		}
		if !tc.fit {
			unfit++
		}
	}
	for name, n := range nodes {
		handledUpTo(t, a, n.id, 2)
		becomes(t, a, "after "+name, "queued")
	}
	if got := deadLetters(t, a.js); len(got) != unfit {
		t.Errorf("%d dead letters, want %d: %v", len(got), unfit, got)
	}
	if e := becomes(t, a, "r", "failed"); len(e.Reason) > 2048 {
		t.Errorf("a reason of %d bytes is kept", len(e.Reason))
	}
	if a.js.Conn().IsClosed() {
		t.Error("the replica's connection was closed:", a.js.Conn().LastError())
	}
}

// clumsy is a Handler that fails at some executions in ways of its own.
type clumsy struct{ orchestrator.Executions }

func (c clumsy) HandleEvents(ctx context.Context, nodeID string, events []*envelope.Message, step *store.Step) error {
	for _, m := range events {
		switch m.Payload.(*nclprotocol.ExecutionChanged).ExecutionID {
		case "panic":
			panic("clumsy")
		case "exit":
			runtime.Goexit()
		case "long":
			return step.Load(ctx, strings.Repeat("i", 5000))
		case "time":
			e, err := step.Execution(ctx, "time")
			if err != nil {
				return err
			}
			e.ExecutionID, e.QueuedAt = "time", time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
			return step.Set(e)
		}
	}
	return c.Executions.HandleEvents(ctx, nodeID, events, step)
}

// TestAHandlersFaults set aside the event at fault, and no other one.
func TestAHandlersFaults(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a", func(c *orchestrator.Config) { c.Handler = clumsy{} })
	keepDeadLetters(t, a.js)
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	for _, id := range []string{"x1", "panic", "x2", "long", "x3", "time", "x4", "exit"} {
		n.record(changed(id, "queued"))
	}
	n.sendAll(t)
	handledUpTo(t, a, "n", 8)
	for _, id := range []string{"x1", "x2", "x3", "x4"} {
		becomes(t, a, id, "queued")
	}
	if got := fmt.Sprint(deadLetters(t, a.js)); got != "[refused refused refused refused]" {
		t.Error(got)
	}
}

// TestNoIDEndsTheConnection of those that come by requests.
func TestNoIDEndsTheConnection(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	long := strings.Repeat("p", 5000)
	bad := n.info()
	bad.PeerID = long
	answer, err := n.ask(t.Context(), nclprotocol.UpdateNodeInfoRequest{NodeInfo: bad})
	if r, ok := answer.(*nclprotocol.UpdateNodeInfoResponse); err != nil || !ok || r.Accepted || !strings.Contains(r.Reason, "peer_id") {
		t.Errorf("%+v, %v", answer, err)
	}
	n.peer = long
	refused(t, n.handshake(t), "peer_id")
	n.peer = "peer-n"
	n.accepted(t)
	// A record of before the bound, or of another hand.
	_, err = a.store.Nodes.Change(t.Context(), "n", func(r *store.NodeRecord) (*store.NodeRecord, error) {
		r.Info = json.RawMessage(`{"node_id":"n","peer_id":"` + long + `"}`)
		return r, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.ask(t.Context(), nclprotocol.ShutdownNoticeRequest{Reason: long}); err != nil {
		t.Log(err)
	}
	nodeBecomes(t, a, "n", store.NodeGone)
	for _, call := range []error{
		a.Orders.Send(t.Context(), long, nclprotocol.CancelExecution{}),
		a.Members.Remove(t.Context(), long),
		a.Orders.CancelExecution(t.Context(), long, ""),
	} {
		if call == nil {
			t.Error("no error for an id of 5000 bytes")
		}
	}
	if err := a.js.Conn().FlushTimeout(5 * time.Second); err != nil {
		t.Error(err, a.js.Conn().LastError())
	}
}
