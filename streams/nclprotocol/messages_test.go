package nclprotocol_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
	"time"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
)

var update = flag.Bool("update", false, "write the golden file anew")

const golden = "testdata/control.json"

var info = nclprotocol.NodeInfo{
	NodeID: "north-1", PeerID: "north", Version: "1.2.3", Labels: map[string]string{"zone": "a"},
	Resources: map[string]map[string]nclprotocol.Amounts{"dc": {"small": {"cpu_cores": 4, "ram_gb": 16}}},
	Free:      nclprotocol.Amounts{"ram_gb": 12}, Queued: nclprotocol.Amounts{"ram_gb": 2},
}

// control has each control message once, with every field.
var control = []any{
	nclprotocol.HandshakeRequest{
		Session: "s1", NodeInfo: info, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		HeartbeatInterval: nclprotocol.Seconds(15 * time.Second), HeartbeatMissFactor: 5,
		LastSchedulerSequence: 7, Ledger: "l1", NewestSequence: 9,
	},
	nclprotocol.HandshakeResponse{Accepted: true, Reason: "why", RetryAfter: nclprotocol.Seconds(8 * time.Second), NewLedger: true, LastNodeSequence: 8, StartSchedulerSequence: 6},
	nclprotocol.HeartbeatRequest{Free: info.Free, Queued: info.Queued, LastSchedulerSequence: 7},
	nclprotocol.HeartbeatResponse{HandshakeRequired: true, Reason: "why", OfferRequired: true, LastNodeSequence: 9},
	nclprotocol.UpdateNodeInfoRequest{NodeInfo: info},
	nclprotocol.UpdateNodeInfoResponse{Accepted: true, HandshakeRequired: true, Reason: "why"},
	nclprotocol.OfferRequest{
		Sequence: 3, Withheld: "why", Offer: json.RawMessage(`{"capacities":{"dc":{"small":{"ram_gb":16}}},"schedule":{"dc":[]}}`),
	},
	nclprotocol.OfferResponse{Accepted: true, HandshakeRequired: true, Reason: "why"},
	nclprotocol.ShutdownNoticeRequest{Reason: "why", LastSchedulerSequence: 7},
	nclprotocol.ShutdownNoticeResponse{LastNodeSequence: 9},
}

type wireMessage struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// What goes over the wire is held by a file: other programs read it. -update writes it anew.
func TestControlMessages(t *testing.T) {
	t.Parallel()
	registry := envelope.NewRegistry()
	if err := nclprotocol.RegisterControl(registry); err != nil {
		t.Fatal(err)
	}
	if err := nclprotocol.RegisterControl(registry); err != nil {
		t.Errorf("a second time: %v", err)
	}
	var all []wireMessage
	for _, payload := range control {
		m, err := registry.Serialize(&envelope.Message{Payload: payload})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, wireMessage{m.Type, m.Payload})
		back, err := registry.Deserialize(m)
		if err != nil {
			t.Fatal(err)
		}
		if have := reflect.ValueOf(back.Payload).Elem().Interface(); !reflect.DeepEqual(have, payload) {
			t.Errorf("%+v came back as %+v", payload, have)
		}
	}
	have, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	have = append(have, '\n')
	if *update {
		if err := os.WriteFile(golden, have, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("messages are\n%s\nwant\n%s", have, want)
	}
}

func TestNodeInfoEqual(t *testing.T) {
	t.Parallel()
	other := info
	other.Free, other.Queued = nil, nil
	if !info.Equal(other) {
		t.Error("what heartbeats carry makes a difference")
	}
	for name, change := range map[string]func(*nclprotocol.NodeInfo){
		"version": func(n *nclprotocol.NodeInfo) { n.Version = "2" },
		"peer":    func(n *nclprotocol.NodeInfo) { n.PeerID = "south" },
		"node":    func(n *nclprotocol.NodeInfo) { n.NodeID = "north-2" },
		"labels":  func(n *nclprotocol.NodeInfo) { n.Labels = nil },
		"resources": func(n *nclprotocol.NodeInfo) {
			n.Resources = map[string]map[string]nclprotocol.Amounts{"dc": {"small": {"cpu_cores": 8}}}
		},
	} {
		other := info
		change(&other)
		if info.Equal(other) || other.Equal(info) {
			t.Errorf("%s makes no difference", name)
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	for state, want := range map[nclprotocol.ConnectionState]string{
		nclprotocol.Disconnected: "disconnected", nclprotocol.Connecting: "connecting", nclprotocol.Connected: "connected", 9: "unknown",
	} {
		if state.String() != want {
			t.Errorf("%d is %q, want %q", int(state), state, want)
		}
	}
}
