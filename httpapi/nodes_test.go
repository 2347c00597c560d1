package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// enrol puts a node on record, as its handshake does.
func (s *site) enrol(t *testing.T, id string, membership store.Membership) {
	t.Helper()
	_, err := s.store.Nodes.Change(t.Context(), id, func(*store.NodeRecord) (*store.NodeRecord, error) {
		return &store.NodeRecord{
			NodeID:     id,
			Standing:   store.Standing{Membership: membership, State: store.NodeConnected, Since: time.Now().UTC()},
			Connection: store.Connection{Session: "s", Info: json.RawMessage(`{"node_id":` + strconv.Quote(id) + `,"peer_id":"peer-a"}`), LivenessSeconds: 60},
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	pulse := store.Pulse{Session: "s", Sequence: 2, LastSchedulerSequence: 7, Free: map[string]float64{"ram_gb": 8}}
	if _, err := s.store.Liveness.Beat(t.Context(), id, pulse, time.Minute); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, id+" is in view", func() bool {
		_, node := s.parts.Nodes.Get(id)
		_, pulse := s.parts.Pulses.Get(id)
		return node && pulse
	})
}

// offers lets a node tell what it offers.
func (s *site) offers(t *testing.T, id, document string) {
	t.Helper()
	if _, err := s.store.Offers.Keep(t.Context(), id, store.Telling{Session: "s", Sequence: 1}, []byte(document)); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the offer of "+id+" is in view", func() bool { _, ok := s.parts.Offers.Get(id); return ok })
}

func TestNodes(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.enrol(t, "n 1/é", store.Pending)
	s.enrol(t, "n2", store.Approved)
	s.offers(t, "n 1/é", `{"capacities":{"r":{"i":{"ram":1},"j":{"ram":2}}},"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z"}]}}`)
	list := s.do(t, http.MethodGet, "/nodes?limit=1", "").ok(t, http.StatusOK)
	var page struct {
		Items      []map[string]any `json:"items"`
		NextCursor *string          `json:"next_cursor"`
	}
	if err := json.Unmarshal(list.body, &page); err != nil || len(page.Items) != 1 || page.NextCursor == nil {
		t.Errorf("%s, %v", list.body, err)
	}
	if o, _ := page.Items[0]["offer"].(map[string]any); o["instances"] != 2.0 || o["slots"] != 1.0 || o["capacities"] != nil {
		t.Errorf("offer %v", o)
	}
	const path = "/nodes/n%201%2F%C3%A9"
	one := func(method, path string, status int) (n map[string]any) {
		t.Helper()
		if err := json.Unmarshal(s.do(t, method, path, "").ok(t, status).body, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := one(http.MethodGet, path, http.StatusOK); n["membership"] != "pending" || n["last_scheduler_sequence"] != 7.0 || n["free"] == nil {
		t.Errorf("%v", n)
	}
	if o, _ := one(http.MethodGet, path, http.StatusOK)["offer"].(map[string]any); fmt.Sprint(o["capacities"]) != "map[r:map[i:map[ram:1] j:map[ram:2]]]" || o["schedule"] == nil || o["told_at"] == nil {
		t.Errorf("offer %v", o)
	}
	if n := one(http.MethodPost, path+"/approve", http.StatusOK); n["membership"] != "approved" || n["state"] != "connected" {
		t.Errorf("%v", n)
	}
	if n := one(http.MethodPost, path+"/reject", http.StatusOK); n["membership"] != "rejected" || n["state"] != "gone" {
		t.Errorf("%v", n)
	}
	if n := one(http.MethodGet, path, http.StatusOK); n["membership"] != "rejected" { // at once, here
		t.Errorf("%v", n)
	}
	s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	for method, path := range map[string]string{http.MethodGet: path, http.MethodDelete: path, http.MethodPost: path + "/approve"} {
		s.do(t, method, path, "").problem(t, http.StatusNotFound)
	}
	s.do(t, http.MethodGet, "/nodes/n2/approve", "").problem(t, http.StatusMethodNotAllowed)
}

func TestNodesWithoutNATS(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.enrol(t, "n", store.Approved)
	s.nats.Stop()
	natstest.Eventually(t, "the outage is noticed", func() bool { return !s.parts.Nodes.Current() })
	s.do(t, http.MethodGet, "/nodes/n", "").ok(t, http.StatusOK)
	s.do(t, http.MethodPost, "/nodes/n/reject", "").problem(t, http.StatusServiceUnavailable)
	s.do(t, http.MethodDelete, "/nodes/n", "").problem(t, http.StatusServiceUnavailable)
}
