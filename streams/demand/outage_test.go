package demand

import (
	"context"
	"errors"
	"testing"
	"time"

	"oc-scheduler/events"
)

// What fails because NATS is out of reach is a matter of the moment, and the bus has to know it.
func TestAnOutageIsToldToTheBus(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	f.server.Stop()
	here := events.Arrival{Seq: 1, Time: time.Now(), Bus: time.Now().Add(-time.Hour)}
	for name, handle := range map[string]func(context.Context) error{
		"planner": func(ctx context.Context) error {
			return a.PlannerPublished(ctx, here, []byte(`{"peer_id":"p","generated_at":"2026-01-01T00:00:00Z","capacities":{}}`))
		},
		"workflow": func(ctx context.Context) error {
			return a.WorkflowCreated(ctx, here, []byte(`{"id":"w","graph":{"items":{}}}`))
		},
		"removal": func(ctx context.Context) error { return a.WorkflowRemoved(ctx, here, "w") },
	} {
		if err := handle(t.Context()); !errors.Is(err, events.ErrAway) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
