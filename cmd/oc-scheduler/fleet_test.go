package main

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// itself is this test binary as the program.
func itself() fleettest.Program {
	return fleettest.Program{Path: os.Args[0], Env: []string{asProgram + "=1"}}
}

// fleet is the program in processes of its own, on one NATS server.
type fleet struct {
	server *natstest.Server
	js     jetstream.JetStream
	peers  *fleettest.Peers
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	server := natstest.Start(t)
	js := server.JetStream(t)
	return &fleet{server, js, fleettest.NewPeers(js)}
}

func (f *fleet) replica(t *testing.T, flags ...string) *fleettest.Replica {
	t.Helper()
	return itself().Start(t, append([]string{"--nats-url", f.server.URL()}, flags...)...)
}

// end drains a replica and waits for its end.
func end(t *testing.T, r *fleettest.Replica) {
	t.Helper()
	if err := r.Drain(); err != nil {
		t.Fatal(err)
	}
	if err := r.Wait(); err != nil {
		t.Fatal(err)
	}
}

// put stores the workflow wf-<id>, which needs the peer id, and waits until all show it.
func (f *fleet) put(t *testing.T, id string, on ...*fleettest.Replica) {
	t.Helper()
	doc := strings.NewReader(fleettest.Workflow("wf-"+id, id))
	if a := fleettest.Send(t.Context(), http.MethodPut, on[0].URL+"/oc/wf-"+id, doc); a.Status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", a.Status, a.Body)
	}
	for _, r := range on {
		eventually(t, "the workflow everywhere", func() bool {
			return fleettest.Get(t.Context(), r.URL+"/oc/wf-"+id).Status == http.StatusOK
		})
	}
}

// asked waits until a planner of each peer was asked for: one that comes before makes that needless.
func (f *fleet) asked(t *testing.T, peers ...string) {
	t.Helper()
	eventually(t, "planners are asked for", func() bool {
		requests, _ := fleettest.Counts(t, f.js, peers...)
		return !slices.ContainsFunc(peers, func(peer string) bool { return requests[peer] == 0 })
	})
}

// open opens a stream that stays with one replica.
func (f *fleet) open(t *testing.T, id string, on *fleettest.Replica) *fleettest.Stream {
	t.Helper()
	return fleettest.Open(t, fleettest.CheckPath("wf-"+id), func(int) string { return on.URL })
}

// listed is who has streams on a peer.
func (f *fleet) listed(t *testing.T, peer string) string {
	t.Helper()
	lists, err := fleettest.Values(t.Context(), f.js, "interest")
	if err != nil {
		return err.Error()
	}
	return string(lists[peer])
}

// closes counts the closes of all streams by code.
func closes(streams []*fleettest.Stream) map[websocket.StatusCode]int {
	all := map[websocket.StatusCode]int{}
	for _, s := range streams {
		for code, n := range s.Closed() {
			all[code] += n
		}
	}
	return all
}
