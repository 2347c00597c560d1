package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// outage takes the whole cluster away and brings it back.
func (f *fleet) outage(t *testing.T, cluster *natstest.Cluster) {
	t.Helper()
	const length = 3 * time.Second
	down := time.Now()
	for _, s := range cluster.Servers {
		s.Stop()
	}
	for _, r := range f.replicas {
		f.unready(t, r)
	}
	t.Logf("all replicas say within %v that they are not ready", time.Since(down))
	for n := 0; time.Since(down) < length; n++ {
		for _, r := range f.replicas {
			f.aside(t, r.URL(), fmt.Sprintf("ghost-%d", n))
		}
	}
	for _, s := range cluster.Servers {
		s.Restart(t)
	}
	cluster.AwaitHealthy(t)
	f.publish(t)
	f.whole(t, "the return of NATS")
	for id := range fleettest.Stored(t, f.js, "workflows") {
		if strings.HasPrefix(id, "ghost") {
			t.Errorf("%s was refused, and stored later", id)
		}
	}
}

// aside asks one replica for all that works without NATS, and for what does not.
func (f *fleet) aside(t *testing.T, url, ghost string) {
	t.Helper()
	for _, path := range []string{"/oc", "/oc/wf-all", "/planners", fleettest.CheckPath("wf-all")} {
		if l := lacks(fleettest.Get(t.Context(), url+path), http.StatusOK, "Age"); l != "" {
			t.Errorf("GET %s: %s", path, l)
		}
	}
	refused := map[string]fleettest.Answer{
		"PUT":    fleettest.Send(t.Context(), http.MethodPut, url+"/oc/"+ghost, strings.NewReader(fleettest.Workflow(ghost, "peer-0"))),
		"DELETE": fleettest.Send(t.Context(), http.MethodDelete, url+"/oc/wf-all", nil),
		"GET":    fleettest.Get(t.Context(), url+"/planners/peer-0"),
	}
	for what, a := range refused {
		if l := lacks(a, http.StatusServiceUnavailable, "Retry-After"); l != "" {
			t.Errorf("%s: %s", what, l)
		}
	}
}

// lacks says what an answer has not: the status, or the header.
func lacks(a fleettest.Answer, status int, header string) string {
	if a.Status == status && a.Header.Get(header) != "" {
		return ""
	}
	return fmt.Sprintf("%d %v %s, want %d with %s", a.Status, a.Header, a.Body, status, header)
}

// unready waits until a replica says that it is not ready.
func (f *fleet) unready(t *testing.T, r *running) time.Duration {
	t.Helper()
	return fleettest.Until(t, "readiness tells", func() string {
		return lacks(fleettest.Get(t.Context(), r.URL()+"/readyz"), http.StatusServiceUnavailable, "Retry-After")
	})
}
