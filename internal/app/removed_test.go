package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// TestARemovedWorkflowIsToldOf as what is gone, though nobody knows any more what hung on it.
func TestARemovedWorkflowIsToldOf(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	r := start(t, on(server))
	r.awaitReady(t)
	nc := server.Connect(t)
	said := make(chan *nats.Msg, 64)
	for _, subject := range []string{events.CreateResource, events.RemoveResource} {
		if _, err := nc.ChanSubscribe(subject, said); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	onBus(t, nc).planner(t, fmt.Sprintf(`{"peer_id":"p","generated_at":%q,"capacities":{"gpu":{"i1":{"gpus":1}}}}`, time.Now().Format(time.RFC3339)))
	workflow := `{"id":"w","graph":{"items":{"n":{"compute":{"id":"gpu","peer_id":"p","demand":{"gpus":1}}}},"links":[]}}`
	do := func(method, path, body string, want int) {
		t.Helper()
		until(t, method+" "+path, func() bool {
			return fleettest.Send(t.Context(), method, r.URL()+path, strings.NewReader(body)).Status == want
		})
	}
	do(http.MethodPut, "/oc/w?group=lab", workflow, http.StatusCreated)
	do(http.MethodPost, "/oc/w/schedules", fmt.Sprintf(`{"start":%q,"duration_s":3600,"wait_s":10}`, time.Now().Add(time.Hour).Format(time.RFC3339)), http.StatusCreated)
	booking := func(subject string) (groups []string) {
		t.Helper()
		for deadline := time.After(patience); ; {
			select {
			case m := <-said:
				e, err := events.DecodeEnvelope(m.Data)
				if err != nil {
					t.Fatal(err)
				}
				if m.Subject == subject && e.Datatype == events.DatatypeBooking {
					return e.Groups
				}
			case <-deadline:
				t.Fatalf("no %s of a booking", subject)
			}
		}
	}
	if groups := booking(events.CreateResource); len(groups) != 1 || groups[0] != "lab" {
		t.Errorf("made for %q", groups)
	}
	do(http.MethodDelete, "/oc/w", "", http.StatusNoContent)
	if groups := booking(events.RemoveResource); len(groups) != 1 || groups[0] != "lab" {
		t.Errorf("gone for %q", groups)
	}
}
