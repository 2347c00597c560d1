package doctor_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/doctor"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

func all(findings []doctor.Finding, level doctor.Level) (list []doctor.Finding) {
	for _, f := range findings {
		if f.Level == level {
			list = append(list, f)
		}
	}
	return list
}

// TestAnEmptyServer is told as that: it answers, so nothing is out of reach.
func TestAnEmptyServer(t *testing.T) {
	t.Parallel()
	found := doctor.Run(t.Context(), newServer(t).cfg)
	f := want(t, found, doctor.Warn, "streams", "not there", "not looked at: cluster, clock, interest, leases")
	if f.Mend == "" || len(all(found, doctor.Unknown)) > 0 || len(all(found, doctor.Warn)) != 1 || strings.Contains(list(found), "out of reach") {
		t.Errorf("%s", list(found))
	}
}

// TestALimitIsTheCause: a replica that is started would not help.
func TestALimitIsTheCause(t *testing.T) {
	t.Parallel()
	srv := configured(t, `
max_payload: 9MB
accounts { A { jetstream: { max_streams: 3 }, users: [ { user: free, password: pw } ] } }`)
	found := examine(t, srv, "free")
	f := want(t, found, doctor.Fail, "limits", fmt.Sprintf("max_streams is 3; 0 are there and %d more are needed", streams), "not there: KV_executions", "not looked at: ")
	if !strings.Contains(f.Mend, fmt.Sprintf("max_streams: %d", streams)) || strings.Contains(list(found), "start a replica") || strings.Contains(list(found), "start one") {
		t.Errorf("%s", list(found))
	}
}

// TestAReplicaThatHasGone: nobody reads, and nobody has to, while the lease of one that drained ends.
func TestAReplicaThatHasGone(t *testing.T) {
	t.Parallel()
	w := admit(t)
	if _, err := w.js.Publish(t.Context(), "$KV.replicas.r1", []byte(`{"version":"v","address":"a","started_at":"2026-12-01T00:00:00Z","draining":true}`), jetstream.WithMsgTTL(30*time.Second)); err != nil {
		t.Fatal(err)
	}
	found := doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.OK, "leases", "draining")
	wantRest(t, found, "fsync")
}

// TestAnOutageIsToldOnce: two of three servers are away.
func TestAnOutageIsToldOnce(t *testing.T) {
	t.Parallel()
	cluster := natstest.StartCluster(t, 3)
	js, err := jetstream.New(cluster.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), js, store.Config{Replicas: 3}, discard, nil); err != nil {
		t.Fatal(err)
	}
	cluster.Servers[1].Stop()
	cluster.Servers[2].Stop()
	natstest.Eventually(t, "the majority is missed, once", func() bool {
		found := doctor.Run(t.Context(), doctor.Config{URLs: []string{cluster.Servers[0].URL()}})
		return len(all(found, doctor.Fail)) == 1
	})
}

// TestAReplicaThatWaitsForNATS has one reason not to be ready, whatever the number of its views.
func TestAReplicaThatWaitsForNATS(t *testing.T) {
	t.Parallel()
	replica := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"checks":[{"name":"nats","detail":"connection is RECONNECTING"},{"name":"engine","ok":true},
			{"name":"view planners","detail":"not current for 3s"},{"name":"view workflows","detail":"not current for 3s"},{"name":"lease","detail":"no answer"}]}`))
	}))
	defer replica.Close()
	w := admit(t)
	w.cfg.Replica = replica.URL
	found := doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.Fail, "replica", "not ready: nats: connection is RECONNECTING", "view workflows", "lease")
	if len(all(found, doctor.Fail)) != 1 {
		t.Errorf("%s", list(found))
	}
	w.cfg.URLs = []string{"nats://127.0.0.1:1"}
	found = doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.Fail, "nats", "nobody listens there", "is not ready: nats: ", "view workflows")
	if len(all(found, doctor.Fail)) != 1 {
		t.Errorf("%s", list(found))
	}
}

// TestABucketThatCannotBeRead: its stream is not as it must be, and that alone is told.
func TestABucketThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := admit(t)
	stream, err := w.js.Stream(t.Context(), "KV_workflows")
	if err != nil {
		t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	cfg.AllowDirect = false
	if _, err := w.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	found := doctor.Run(t.Context(), w.cfg)
	f := want(t, found, doctor.Fail, "streams", "KV_workflows: allow_direct is false", "not looked at: values")
	if !strings.Contains(f.Mend, "req '$JS.API.STREAM.UPDATE.KV_workflows' '{\"allow_direct\":true,") || strings.Contains(list(found), "out of reach") {
		t.Errorf("%s", list(found))
	}
}
