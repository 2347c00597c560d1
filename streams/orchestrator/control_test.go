package orchestrator_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

func refused(t *testing.T, r *nclprotocol.HandshakeResponse, reason string) {
	t.Helper()
	if r.Accepted || !strings.Contains(r.Reason, reason) {
		t.Errorf("%+v, want a refusal with %q", r, reason)
	}
}

// soon is a refusal after which a node asks again within 10 s.
func soon(t *testing.T, r *nclprotocol.HandshakeResponse) {
	t.Helper()
	if again := r.RetryAfter.Duration(); again <= 0 || again*6/5 > 10*time.Second { // nodes add a fifth by chance
		t.Errorf("it asks again after %v", again)
	}
}

func required(t *testing.T, r *nclprotocol.HeartbeatResponse, reason string) {
	t.Helper()
	if !r.HandshakeRequired || !strings.Contains(r.Reason, reason) {
		t.Errorf("%+v, want a handshake because of %q", r, reason)
	}
}

func TestRefusedHandshakes(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	for name, tc := range map[string]struct {
		change func(*nclprotocol.HandshakeRequest)
		reason string
	}{
		"another node":  {func(r *nclprotocol.HandshakeRequest) { r.NodeInfo.NodeID = "m" }, `node_id is "m" on the subject of "n another node"`},
		"no ledger":     {func(r *nclprotocol.HandshakeRequest) { r.Ledger = "" }, "ledger"},
		"other session": {func(r *nclprotocol.HandshakeRequest) { r.Session = "other" }, "session"},
		"no misses":     {func(r *nclprotocol.HandshakeRequest) { r.HeartbeatMissFactor = 0 }, "heartbeat_miss_factor is 0"},
		"no interval":   {func(r *nclprotocol.HandshakeRequest) { r.HeartbeatInterval = 0 }, "silence"},
		"long info": {func(r *nclprotocol.HandshakeRequest) {
			r.NodeInfo.Resources = map[string]map[string]nclprotocol.Amounts{strings.Repeat("y", 70_000): nil}
		}, "node_info has"},
		"long label": {func(r *nclprotocol.HandshakeRequest) {
			r.NodeInfo.Labels = map[string]string{"x": strings.Repeat("\n", 1025)}
		}, "label"},
		"many labels": {func(r *nclprotocol.HandshakeRequest) {
			for i := range 65 {
				r.NodeInfo.Labels[fmt.Sprint(i)] = ""
			}
		}, "66 labels"},
		"much that is free": {func(r *nclprotocol.HandshakeRequest) { r.NodeInfo.Free = many(65) }, "65 amounts"},
		"much that waits":   {func(r *nclprotocol.HandshakeRequest) { r.NodeInfo.Queued = many(65) }, "65 amounts"},
		"long name": {func(r *nclprotocol.HandshakeRequest) {
			r.NodeInfo.Free = nclprotocol.Amounts{strings.Repeat("\x01", 300_000): 1}
		}, "amount"},
		"long peer":   {func(r *nclprotocol.HandshakeRequest) { r.NodeInfo.PeerID = strings.Repeat("p", 5000) }, "peer_id"},
		"long node":   {func(r *nclprotocol.HandshakeRequest) { r.NodeInfo.NodeID = strings.Repeat("\x01", 300_000) }, "node_id"},
		"long ledger": {func(r *nclprotocol.HandshakeRequest) { r.Ledger = strings.Repeat("l", 129) }, "ledger"},
		"odd start": {func(r *nclprotocol.HandshakeRequest) {
			r.Started = time.Date(-1, 1, 1, 0, 0, 0, 0, time.FixedZone("", 14*3600)).AddDate(1, 0, 0)
		}, "started_at"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t, nc, "n "+name)
			n.session = "session"
			r := nclprotocol.HandshakeRequest{
				Session: "session", NodeInfo: n.info(), Ledger: "l", HeartbeatInterval: nclprotocol.Seconds(n.interval), HeartbeatMissFactor: 5,
			}
			tc.change(&r)
			answer, err := n.ask(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			refused(t, answer.(*nclprotocol.HandshakeResponse), tc.reason)
			if len(answer.(*nclprotocol.HandshakeResponse).Reason) > 1024 {
				t.Error("the reason is long")
			}
			if _, err := a.store.Nodes.Get(t.Context(), n.id); !errors.Is(err, kv.ErrNotFound) {
				t.Errorf("a node that was never right is on record: %v", err)
			}
		})
	}
}

// TestUnknownVersions are refused in words that any version reads, and counted.
func TestUnknownVersions(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	reg := prometheus.NewRegistry()
	startReplica(t, srv, "a", func(c *orchestrator.Config) { c.Metrics = reg })
	nc := srv.Connect(t)
	newNode(t, nc, "n").accepted(t) // it answers
	for name, frame := range map[string][]byte{"version": {9, 1, 2, 3}, "damaged": {1, 0, 0, 0, 0, '{'}, "empty": nil, "JSON": []byte(`{"node_id":"n"}`)} {
		m, err := nc.RequestWithContext(t.Context(), nclprotocol.ControlSubject("n"), frame)
		if err != nil || m.Header.Get("Oc-Error") == "" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	frame, err := envelope.Serializer{}.Serialize(&envelope.EncodedMessage{Header: envelope.Header{Type: "Novelty"}, Payload: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := nc.RequestWithContext(t.Context(), nclprotocol.ControlSubject("n"), frame); err != nil || !strings.Contains(m.Header.Get("Oc-Error"), "Novelty") {
		t.Errorf("%+v, %v", m, err)
	}
	const refused = `# HELP oc_scheduler_node_handshakes_total Handshakes of compute nodes.
# TYPE oc_scheduler_node_handshakes_total counter
oc_scheduler_node_handshakes_total{result="accepted"} 1
oc_scheduler_node_handshakes_total{result="failed"} 0
oc_scheduler_node_handshakes_total{result="refused"} 2
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(refused), "oc_scheduler_node_handshakes_total"); err != nil {
		t.Error(err)
	}
}

func TestApproval(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a", func(c *orchestrator.Config) { c.ManualApproval = true })
	n := newNode(t, srv.Connect(t), "n")
	refused(t, n.handshake(t), "approve")
	if r := nodeBecomes(t, a, "n", store.NodeNew); r.Membership != store.Pending || !strings.Contains(string(r.Info), "peer-n") {
		t.Errorf("%+v", r)
	}
	if err := a.Orders.Send(t.Context(), "n", nclprotocol.CancelExecution{}); !errors.Is(err, orchestrator.ErrNotApproved) {
		t.Errorf("Send: %v", err)
	}
	if err := a.Orders.Send(t.Context(), "nobody", nclprotocol.CancelExecution{}); !errors.Is(err, orchestrator.ErrUnknownNode) {
		t.Errorf("Send: %v", err)
	}
	if _, err := a.Members.Approve(t.Context(), "nobody"); !errors.Is(err, orchestrator.ErrUnknownNode) {
		t.Errorf("Approve: %v", err)
	}
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	n.accepted(t)
	if _, err := a.Members.Reject(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	nodeBecomes(t, a, "n", store.NodeGone)
	required(t, n.beat(t), "rejected")
	again := n.handshake(t)
	refused(t, again, "rejected")
	soon(t, again)
	nodeBecomes(t, a, "n", store.NodeGone)
	if _, err := a.Members.Approve(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	n.accepted(t)
}

// TestARemovedNode introduces itself again, and its events go on where they were. What it had to run has ended.
func TestARemovedNode(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	n.record(changed("x", "queued"))
	n.sendAll(t)
	becomes(t, a, "x", "queued")
	if err := a.Members.Remove(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it is forgotten", func() bool { _, ok := a.store.Nodes.View().Get("n"); return !ok })
	required(t, n.beat(t), "does not know")
	n.record(changed("x", "running"), changed("y", "queued")) // meanwhile
	n.sendAll(t)
	if r := n.accepted(t); r.LastNodeSequence == 0 {
		t.Errorf("%+v", r)
	}
	n.record(changed("y", "running"))
	n.sendAll(t)
	becomes(t, a, "y", "running")
	becomes(t, a, "x", "failed")
	n.record(changed("y", "completed"))
	n.sendAll(t)
	becomes(t, a, "y", "completed")
	if e, err := a.store.Executions.Get(t.Context(), "x"); err != nil || e.Reason != "node removed" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	n, twin := newNode(t, nc, "n"), newNode(t, nc, "n")
	twin.ledger = n.ledger
	n.accepted(t)
	if r := n.beat(t); r.HandshakeRequired {
		t.Errorf("%+v", r)
	}
	twin.accepted(t)
	asksForHandshake(t, n, "another session")
	if r := twin.beat(t); r.HandshakeRequired {
		t.Errorf("%+v", r)
	}
	natstest.Eventually(t, "the second session", func() bool {
		e, _ := a.store.Nodes.View().Get("n")
		return e.Value.Generation == 2
	})
	if _, err := n.ask(t.Context(), nclprotocol.ShutdownNoticeRequest{}); err != nil { // of the session that is over
		t.Fatal(err)
	}
	if r, err := a.store.Nodes.Get(t.Context(), "n"); err != nil || r.State != store.NodeConnected {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := twin.ask(t.Context(), nclprotocol.ShutdownNoticeRequest{Reason: "maintenance", LastSchedulerSequence: 3}); err != nil {
		t.Fatal(err)
	}
	if r := nodeBecomes(t, a, "n", store.NodeGone); r.Reason != "maintenance" || r.LastSchedulerSequence != 3 {
		t.Errorf("%+v", r)
	}
	natstest.Eventually(t, "its pulse ends at once", func() bool { _, alive := a.store.Liveness.View().Get("n"); return !alive })
	required(t, twin.beat(t), "gone")
}

// TestOldWordsChangeNothing holds for what a network or a queue has kept.
func TestOldWordsChangeNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	n.accepted(t)
	say := func(sequence uint64, payload any) any {
		t.Helper()
		m, err := n.control.Request(t.Context(), ncl.PublishRequest{Subject: nclprotocol.ControlSubject("n"), Message: &envelope.Message{
			Header: envelope.Header{Source: n.session, Sequence: sequence}, Payload: payload,
		}})
		if err != nil {
			t.Fatal(err)
		}
		return m.Payload
	}
	zone := func(z string) nclprotocol.UpdateNodeInfoRequest {
		info := n.info()
		info.Labels = map[string]string{"zone": z}
		return nclprotocol.UpdateNodeInfoRequest{NodeInfo: info}
	}
	say(12, zone("new"))
	say(11, zone("old"))
	say(14, nclprotocol.HeartbeatRequest{Free: nclprotocol.Amounts{"ram_gb": 1}, LastSchedulerSequence: 9})
	say(13, nclprotocol.HeartbeatRequest{Free: nclprotocol.Amounts{"ram_gb": 2}, LastSchedulerSequence: 5})
	natstest.Eventually(t, "the newest info", func() bool {
		e, _ := a.store.Nodes.View().Get("n")
		return strings.Contains(string(e.Value.Info), "new") && e.Value.LastSchedulerSequence == 9
	})
	if r, err := a.store.Nodes.Get(t.Context(), "n"); err != nil || strings.Contains(string(r.Info), "old") {
		t.Errorf("%s, %v", r.Info, err)
	}
	natstest.Eventually(t, "the newest pulse", func() bool {
		e, _ := a.store.Liveness.View().Get("n")
		return e.Value.Sequence == 14 && e.Value.Free["ram_gb"] == 1
	})
	n.accepted(t) // in a new session all begins again
	say(2, zone("newer"))
	natstest.Eventually(t, "the new session's info", func() bool {
		e, _ := a.store.Nodes.View().Get("n")
		return strings.Contains(string(e.Value.Info), "newer")
	})
}

// plan has a planner of a peer arrive.
func plan(t *testing.T, r *replica, peerID string) {
	t.Helper()
	raw := []byte(`{"peer_id":"` + peerID + `","generated_at":"2026-12-01T06:00:00Z","capacities":{"r":{"i0":{"ram_gb":1}}}}`)
	p, err := planner.Decode(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.store.Planners.Apply(t.Context(), raw, p, origin.Source{Seq: 1, Time: time.Now(), Bus: time.Now()}); err != nil {
		t.Fatal(err)
	}
}

// TestAGoodbyeTakesThePlanner of the peer along, once its last node has gone.
func TestAGoodbyeTakesThePlanner(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := startReplica(t, srv, "a")
	nc := srv.Connect(t)
	first, second := newNode(t, nc, "n1"), newNode(t, nc, "n2")
	first.peer, second.peer = "peer-a", "peer-a"
	first.accepted(t)
	second.accepted(t)
	plan(t, a, "peer-a")
	has := func() bool { _, ok := a.store.Planners.View().Get("peer-a"); return ok }
	natstest.Eventually(t, "the planner is there, and both nodes", func() bool { return has() && a.store.Nodes.View().Len() == 2 })
	for _, n := range []*node{first, second} {
		if _, err := n.ask(t.Context(), nclprotocol.ShutdownNoticeRequest{}); err != nil {
			t.Fatal(err)
		}
		nodeBecomes(t, a, n.id, store.NodeGone)
		if n == first && !has() {
			t.Error("the planner went with the first node")
		}
	}
	natstest.Eventually(t, "the planner has gone", func() bool { return !has() })
}

// TestAHandshakeThatWasGivenUp may be answered after the one that followed it.
func TestAHandshakeThatWasGivenUp(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	startReplica(t, srv, "a")
	n := newNode(t, srv.Connect(t), "n")
	given := time.Now().UTC()
	n.accepted(t)
	late, err := n.control.Request(t.Context(), ncl.PublishRequest{Subject: nclprotocol.ControlSubject("n"), Message: &envelope.Message{
		Header: envelope.Header{Source: "earlier", Sequence: 1, Time: given},
		Payload: nclprotocol.HandshakeRequest{
			Session: "earlier", NodeInfo: n.info(), Started: n.started, Ledger: n.ledger,
			HeartbeatInterval: nclprotocol.Seconds(n.interval), HeartbeatMissFactor: n.factor,
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, late.Payload.(*nclprotocol.HandshakeResponse), "overtaken")
	if r := n.beat(t); r.HandshakeRequired {
		t.Errorf("%+v", r)
	}
}
