package store_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/planners"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

var discard = slog.New(slog.DiscardHandler)

// open opens a store on a server; each call is a replica of its own.
func open(t *testing.T, s *natstest.Server, cfg store.Config) (*store.Store, jetstream.JetStream) {
	t.Helper()
	js := s.JetStream(t)
	st, err := store.Open(t.Context(), js, cfg, discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	return st, js
}

// running opens a store and waits until its planners and workflows are loaded.
func running(t *testing.T, s *natstest.Server, cfg store.Config) (*store.Store, jetstream.JetStream) {
	t.Helper()
	st, js := open(t, s, cfg)
	natstest.Run(t, st.Run)
	for _, loaded := range []<-chan struct{}{st.Planners.View().Loaded(), st.Workflows.View().Loaded(), st.Interest.View().Loaded(), st.Leases.View().Loaded()} {
		natstest.Receive(t, loaded)
	}
	return st, js
}

// plannerJSON is a small planner; n tells versions apart.
func plannerJSON(peerID string, generated time.Time, n int) []byte {
	return fmt.Appendf(nil, `{"peer_id":%q,"generated_at":%q,"capacities":{"r":{"i0":{"ram_gb":%d}}}}`,
		peerID, generated.UTC().Format(time.RFC3339Nano), n)
}

func decode(t *testing.T, raw []byte) *planner.Planner {
	t.Helper()
	p, err := planner.Decode(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func apply(t *testing.T, st *store.Store, raw []byte, src origin.Source) origin.Outcome {
	t.Helper()
	out, err := st.Planners.Apply(t.Context(), raw, decode(t, raw), src)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// shows waits until the view has a planner that fulfils ok.
func shows(t *testing.T, st *store.Store, peerID string, ok func(planners.Record) bool) kv.Entry[planners.Record] {
	t.Helper()
	var e kv.Entry[planners.Record]
	natstest.Eventually(t, "the view shows "+peerID, func() bool {
		var found bool
		e, found = st.Planners.View().Get(peerID)
		return found && ok(e.Value)
	})
	return e
}

func gone(t *testing.T, st *store.Store, peerID string) {
	t.Helper()
	natstest.Eventually(t, "the view drops "+peerID, func() bool {
		_, found := st.Planners.View().Get(peerID)
		return !found
	})
}

func ramOf(r planners.Record) planner.Amount {
	return planner.NewIndex(r.Planner).Resource("r").Instances()[0].Capacity("ram_gb") / planner.Unit
}

func wantErr(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error = %v, want %v", err, target)
	}
}

// newestRevision is that of the newest message of a planner's key, a marker's too.
func newestRevision(t *testing.T, js jetstream.JetStream, key string) uint64 {
	t.Helper()
	stream, err := js.Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	m, err := stream.GetLastMsgForSubject(t.Context(), "$KV.planners."+key)
	if err != nil {
		t.Fatal(err)
	}
	return m.Sequence
}
