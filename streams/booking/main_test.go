package booking_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/booking"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

// replica is one of a fleet.
type replica struct {
	*booking.Service
	st *store.Store
}

// newReplica is a replica on a server, loaded.
func newReplica(t testing.TB, js jetstream.JetStream, replicas int) *replica {
	t.Helper()
	var st *store.Store
	natstest.Eventually(t, "the buckets are there", func() bool {
		var err error
		st, err = store.Open(t.Context(), js, store.Config{Replicas: replicas}, slog.New(slog.DiscardHandler), nil)
		return err == nil
	})
	natstest.Run(t, st.Run)
	for _, loaded := range []<-chan struct{}{st.Planners.View().Loaded(), st.Workflows.View().Loaded(), st.Plan.Loaded()} {
		natstest.Receive(t, loaded)
	}
	return &replica{booking.New(st, nil), st}
}

// has stores a planner of a peer with some gigabytes of memory on each instance of resource r, and waits until all
// replicas show it.
func has(t testing.TB, peer string, gigabytes map[string]int, replicas ...*replica) {
	t.Helper()
	capacities := map[string]any{}
	for instance, n := range gigabytes {
		capacities[instance] = map[string]int{"ram_gb": n}
	}
	raw, err := json.Marshal(map[string]any{
		"peer_id": peer, "generated_at": time.Now().UTC(), "capacities": map[string]any{"r": capacities},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := planner.Decode(raw, nil)
	if err == nil {
		_, err = replicas[0].st.Planners.Apply(t.Context(), raw, p, origin.Source{Seq: uint64(time.Now().UnixNano()), Time: time.Now(), Bus: time.Unix(1, 0)})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range replicas {
		natstest.Eventually(t, "the planner shows", func() bool {
			e, ok := r.st.Planners.View().Get(peer)
			return ok && e.Value.Digest() == p.Digest()
		})
	}
}

// needs stores a workflow that takes some gigabytes for an hour of each of some peers, and waits until all replicas
// show it.
func needs(t testing.TB, id string, gigabytes int, peers []string, replicas ...*replica) {
	t.Helper()
	var items []string
	for i, peer := range peers {
		items = append(items, fmt.Sprintf(`"n%d":{"compute":{"id":"r","peer_id":%q,"demand":{"ram_gb":%d}}}`, i, peer, gigabytes))
	}
	raw := fmt.Appendf(nil, `{"id":%q,"graph":{"items":{%s}}}`, id, strings.Join(items, ","))
	w, err := workflow.Decode(raw)
	if err == nil {
		_, _, _, err = replicas[0].st.Workflows.Put(t.Context(), id, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range replicas {
		natstest.Eventually(t, "the workflow shows", func() bool {
			e, ok := r.st.Workflows.View().Get(id)
			return ok && e.Value.Digest() == w.Digest()
		})
	}
}

// at asks for an hour from a time on.
func at(t testing.TB, start time.Time, more string) schedule.Request {
	t.Helper()
	return ask(t, schedule.ScheduleBody, fmt.Sprintf(`{"start":%q,"duration_s":3600%s}`, start.Format(time.RFC3339Nano), more))
}

func ask(t testing.TB, kind schedule.Body, body string) schedule.Request {
	t.Helper()
	r, err := schedule.DecodeRequest([]byte(body), kind)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tomorrow() time.Time { return time.Now().Add(24 * time.Hour).Truncate(time.Second).UTC() }
