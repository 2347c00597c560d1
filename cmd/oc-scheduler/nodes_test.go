package main

import (
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// knock has a node ask to take part, and returns the answer.
func (s *site) knock(t *testing.T, nodeID string) *nclprotocol.HandshakeResponse {
	t.Helper()
	registry := envelope.NewRegistry()
	if err := nclprotocol.RegisterControl(registry); err != nil {
		t.Fatal(err)
	}
	node := ncl.NewPublisher(s.bus, envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry})
	handshake := ncl.PublishRequest{Subject: nclprotocol.ControlSubject(nodeID), Message: &envelope.Message{
		Header: envelope.Header{Source: "session", Sequence: 1, Time: time.Now()},
		Payload: nclprotocol.HandshakeRequest{
			Session: "session", Ledger: "ledger", HeartbeatInterval: nclprotocol.Seconds(time.Minute), HeartbeatMissFactor: 1,
			NodeInfo: nclprotocol.NodeInfo{
				NodeID: nodeID, PeerID: "peer-a", Version: "v1", Labels: map[string]string{"zone": "north"},
				Resources: map[string]map[string]nclprotocol.Amounts{"gpu": {"i0": {"ram_gb": 8, "cpu_cores.x86_64": 4}}},
				Free:      nclprotocol.Amounts{"slots": 2},
			},
		},
	}}
	var answer *envelope.Message
	eventually(t, nodeID+" is answered", func() (answered bool) { // nobody may listen yet
		var err error
		answer, err = node.Request(t.Context(), handshake)
		return err == nil
	})
	return answer.Payload.(*nclprotocol.HandshakeResponse)
}

func TestNodesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := startSite(t, "--approve-nodes", "manual")
	says := func(code int, command string, words ...string) {
		t.Helper()
		o := invoke(t, nil, append(strings.Fields("nodes "+command), "--server", s.url)...)
		for _, w := range words {
			if o.code != code || !strings.Contains(o.stdout+o.stderr, w) {
				t.Errorf("nodes %s: %d, want %d with %q\n%s%s", command, o.code, code, w, o.stdout, o.stderr)
			}
		}
	}
	says(0, "", "NODE")
	says(1, "n.1", `node "n.1"`, "no such node")
	if a := s.knock(t, "n.1"); a.Accepted || !strings.Contains(a.Reason, "nodes approve") {
		t.Errorf("%+v", a)
	}
	eventually(t, "it is listed", func() bool { return strings.Contains(invoke(t, nil, "nodes", "--server", s.url).stdout, "n.1") })
	says(0, "", "n.1", "peer-a", "pending", "new")
	if metrics := fleettest.Get(t.Context(), s.url+"/metrics"); !strings.Contains(string(metrics.Body), "\noc_scheduler_nodes_pending 1\n") {
		t.Error("nobody is told that a node waits for approval")
	}
	says(0, "approve n.1", "node n.1 is approved")
	if a := s.knock(t, "n.1"); !a.Accepted {
		t.Errorf("%+v", a)
	}
	eventually(t, "it is connected", func() bool { return strings.Contains(invoke(t, nil, "nodes", "--server", s.url).stdout, "connected") })
	says(0, "n.1", "gpu/i0: cpu_cores.x86_64 4, ram_gb 8", "slots 2", "zone=north", "ledger")
	says(0, "n.1 -o json", `"node_id": "n.1"`)
	says(0, "reject n.1 -o json", `"membership": "rejected"`)
	says(0, "remove n.1", "forgotten")
	says(1, "remove n.1", `node "n.1"`)
	says(1, "approve", "<node>")
}
