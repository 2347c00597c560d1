//go:build compose

package deploy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
)

// discovery plays oc-discovery for the test's peers, with the rights of the bus: it answers
// requests for planners, and publishes new ones.
type discovery struct {
	s  *stack
	js jetstream.JetStream

	work sync.WaitGroup // answers under way

	mu         sync.Mutex
	generation int
	wanted     map[string]bool
}

func (s *stack) connect(user, inbox string) *nats.Conn {
	s.t.Helper()
	closed := make(chan struct{})
	nc, err := nats.Connect(s.natsURLs(user), nats.CustomInboxPrefix(inbox), nats.MaxReconnects(-1),
		nats.ReconnectWait(200*time.Millisecond), nats.ReconnectBufSize(-1), nats.Timeout(time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // outages are the point; the default prints them
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { nc.Close(); <-closed })
	return nc
}

func startDiscovery(s *stack) *discovery {
	s.t.Helper()
	nc := s.connect("bus", "_INBOX.bus")
	d := &discovery{s: s, wanted: map[string]bool{}}
	var err error
	if d.js, err = jetstream.New(nc); err != nil {
		s.t.Fatal(err)
	}
	if _, err := nc.Subscribe(events.Propagation, d.hear); err != nil {
		s.t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(d.work.Wait)
	return d
}

func (d *discovery) hear(m *nats.Msg) {
	action, peerID := spoken(m.Data)
	if !strings.HasPrefix(peerID, "site-") {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch action {
	case "PB_PLANNER":
		d.wanted[peerID] = true
		d.work.Go(func() { d.publish(peerID) })
	case "PB_CLOSE_PLANNER":
		delete(d.wanted, peerID)
	}
}

// spoken is what the scheduler says in a message of the bus; empty for others' messages.
func spoken(data []byte) (action, peerID string) {
	e, err := events.DecodeEnvelope(data)
	if err != nil || e.FromApp != "oc-scheduler" {
		return "", ""
	}
	p, err := events.DecodePropagated(e.Payload)
	var peer struct {
		PeerID string `json:"peer_id"`
	}
	if err != nil || json.Unmarshal(p.Payload, &peer) != nil {
		return "", ""
	}
	return p.Action, peer.PeerID
}

// next begins a new generation of planners and publishes it for every peer that is wanted.
func (d *discovery) next() {
	d.mu.Lock()
	d.generation++
	peers := slices.Collect(maps.Keys(d.wanted))
	d.mu.Unlock()
	for _, p := range peers {
		d.publish(p)
	}
}

// publish sends a planner until the bus has stored it; twice is harmless.
func (d *discovery) publish(peerID string) {
	d.mu.Lock() // what is generated later is of no earlier generation
	message, err := plannerOf(peerID, d.generation)
	d.mu.Unlock()
	if err != nil {
		d.s.t.Error(err)
		return
	}
	for d.s.t.Context().Err() == nil {
		ctx, cancel := context.WithTimeout(d.s.t.Context(), 2*time.Second)
		_, err := d.js.Publish(ctx, events.Propagation, message, jetstream.WithRetryAttempts(0))
		cancel()
		if err == nil {
			return
		}
		select {
		case <-d.s.t.Context().Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// opening is when the window begins that all streams ask for, an hour long.
var opening = time.Now().UTC().Truncate(24 * time.Hour).Add(57 * time.Hour)

// nextSlot is the answer that a generation of planners leads to: that many hours are taken.
func nextSlot(generation int) time.Time { return opening.Add(time.Duration(generation) * time.Hour) }

func plannerOf(peerID string, generation int) ([]byte, error) {
	body := fmt.Appendf(nil, `{"peer_id":%q,"generated_at":%q,"capacities":{"cluster":{"i0":{"cpu_cores":8}}},
		"schedule":{"cluster":[{"start":%q,"end":%q,"instance_id":"i0","usage":{"cpu_cores":1}}]}}`,
		peerID, time.Now().UTC().Format(time.RFC3339Nano), opening.Format(time.RFC3339), nextSlot(generation).Format(time.RFC3339))
	payload, err := events.Propagated{Action: "PB_PLANNER", Payload: body}.Encode()
	if err != nil {
		return nil, err
	}
	return events.Envelope{FromApp: "oc-discovery", Payload: payload}.Encode()
}
