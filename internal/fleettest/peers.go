package fleettest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
)

// total is what each peer has, and what each workflow needs of it: whatever is booked shows as a
// conflict, from which clients can tell which planner they were answered with.
const total = 1_000_000

// window is when all workflows are to run.
var window = struct{ start, end time.Time }{
	time.Now().UTC().Truncate(time.Hour).Add(24 * time.Hour), time.Now().UTC().Truncate(time.Hour).Add(25 * time.Hour),
}

// CheckPath is the check stream of a workflow.
func CheckPath(workflowID string) string {
	return "/oc/" + workflowID + "/check?duration=1h&start=" + window.start.Format(time.RFC3339)
}

// Workflow needs all that each of the peers has.
func Workflow(id string, peerIDs ...string) string {
	items := make([]string, len(peerIDs))
	for i, p := range peerIDs {
		items[i] = fmt.Sprintf(`"n%d": {"compute": {"id": "gpu", "peer_id": %q, "demand": {"gpus": %d}}}`, i, p, total)
	}
	return fmt.Sprintf(`{"id": %q, "name": "of a fleet", "graph": {"items": {%s}}}`, id, strings.Join(items, ", "))
}

// Planner is a peer's planner with so much booked in the window; the level tells planners apart.
func Planner(peerID string, generated time.Time, level int) []byte {
	return Crowded(peerID, generated, level, 0)
}

// Crowded is a Planner with more slots, of 100 bytes each, after the window.
func Crowded(peerID string, generated time.Time, level, more int) []byte {
	slots := []string{slot(0, level)}
	for i := range more {
		slots = append(slots, slot(1+i, 1))
	}
	return fmt.Appendf(nil, `{"peer_id": %q, "generated_at": %q, "capacities": {"gpu": {"i0": {"gpus": %d}}},
  "schedule": {"gpu": [%s]}}`, peerID, generated.UTC().Format(time.RFC3339Nano), total, strings.Join(slots, ", "))
}

// slot takes so much for an hour, as many hours after the window's.
func slot(later, level int) string {
	after := time.Duration(later) * time.Hour
	return fmt.Sprintf(`{"start": %q, "end": %q, "instance_id": "i0", "usage": {"gpus": %d}}`,
		window.start.Add(after).Format(time.RFC3339), window.end.Add(after).Format(time.RFC3339), level)
}

// Event is a planner as it travels on the bus.
func Event(planner []byte) ([]byte, error) {
	payload, err := json.Marshal(map[string]any{"action": "PB_PLANNER", "payload": json.RawMessage(planner)})
	if err != nil {
		return nil, err
	}
	return events.Envelope{FromApp: "oc-discovery", Payload: payload}.Encode()
}

// Peers publish planners and remember what the bus has taken.
type Peers struct {
	js   jetstream.JetStream
	more int // slots of each planner

	mu     sync.Mutex
	levels map[string]int
	skews  map[string]time.Duration
	turns  map[string]*sync.Mutex // held by whoever publishes for a peer
}

// NewPeers returns peers that publish through js.
func NewPeers(js jetstream.JetStream) *Peers {
	return &Peers{js: js, levels: map[string]int{}, skews: map[string]time.Duration{}, turns: map[string]*sync.Mutex{}}
}

// Crowd has all planners be Crowded, before the first is published.
func (p *Peers) Crowd(more int) { p.more = more }

// Skew sets a peer's clock ahead.
func (p *Peers) Skew(peerID string, ahead time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.skews[peerID] = ahead
}

// Levels are those of the planners that the bus has taken last.
func (p *Peers) Levels() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.levels)
}

// turn is what lets a peer say one thing after the other, as a process does: of two planners at once
// the older one might be taken last.
func (p *Peers) turn(peerID string) *sync.Mutex {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turns[peerID] == nil {
		p.turns[peerID] = new(sync.Mutex)
	}
	return p.turns[peerID]
}

// Publish sends a peer's next planner until the bus has taken it: what is published while a leader
// is elected would be lost.
func (p *Peers) Publish(ctx context.Context, peerID string) error {
	turn := p.turn(peerID)
	turn.Lock()
	defer turn.Unlock()
	p.mu.Lock()
	level, skew := p.levels[peerID]+1, p.skews[peerID]
	p.mu.Unlock()
	event, err := Event(Crowded(peerID, time.Now().Add(skew), level, p.more))
	if err != nil {
		return err
	}
	for !p.try(ctx, event) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.levels[peerID] = level
	return nil
}

func (p *Peers) try(ctx context.Context, event []byte) bool {
	attempt, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := p.js.Publish(attempt, events.Propagation, event); err == nil {
		return true
	}
	pause := time.NewTimer(20 * time.Millisecond)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
	}
	return false
}

// PublishAll publishes a planner of each peer.
func (p *Peers) PublishAll(tb testing.TB, peerIDs ...string) {
	tb.Helper()
	for _, peerID := range peerIDs {
		if err := p.Publish(tb.Context(), peerID); err != nil {
			tb.Fatalf("publishing the planner of %s: %v", peerID, err)
		}
	}
}
