//go:build long && unix

package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// bookedWorkflow takes more than half of an instance: one has it.
const bookedWorkflow = "wf-exclusive"

// TestBookingsAreLinearizable has clients of three replicas, processes as their three NATS servers are, book, hold,
// confirm and give back the same windows while replicas and the leader of the plan are killed, one replica sleeps and
// another one's links go nowhere, and checks that there is one order in which all that they were told makes sense.
func TestBookingsAreLinearizable(t *testing.T) {
	t.Parallel()
	cluster := natstest.StartProcesses(t, 3, func(o *server.Options) { o.Cluster.NoAdvertise = true })
	var posts []*post
	for range 3 {
		p := &post{}
		for _, s := range cluster.Servers {
			p.links = append(p.links, natstest.StartProxy(t, s.Addr()))
		}
		p.start(t)
		posts = append(posts, p)
	}
	h := &bookingHistory{begin: time.Now(), first: time.Now().UTC().Truncate(time.Hour).Add(60 * 24 * time.Hour), known: map[int][]string{}}
	exclusive(t, cluster, posts)
	for _, p := range posts {
		p.work(t, h)
	}
	h.await(t, 100)
	posts[0].kill()
	h.await(t, 50)
	posts[0].start(t)
	posts[0].work(t, h)
	h.await(t, 50)
	leader := cluster.StreamLeader(t, "KV_plan")
	leader.Kill()
	posts[1].kill()
	h.await(t, 100)
	leader.Restart(t)
	posts[1].start(t)
	posts[1].work(t, h)
	cluster.AwaitHealthy(t)
	h.await(t, 100)
	for range 3 { // each time in the midst of something else
		posts[2].pause(t)
		h.await(t, 30)
		posts[2].resume(t)
		h.await(t, 30)
	}
	posts[0].each((*natstest.Proxy).Hold)
	h.await(t, 50)
	posts[0].each((*natstest.Proxy).Pass)
	h.await(t, 100)
	for _, p := range posts {
		p.rest()
	}
	h.judge(t)
}

// judge says whether what happened makes sense.
func (h *bookingHistory) judge(t *testing.T) {
	t.Helper()
	counts := map[string]int{}
	for _, op := range h.operations {
		counts[fmt.Sprintf("%T", op.Input)]++
		if op.Output.(said).unknown {
			counts["unknown"]++
		}
	}
	t.Logf("%d operations on %d windows: %v", len(h.operations), len(h.known), counts)
	model, want := bookingModel.ToModel(), porcupine.Ok
	if !comparesAndSwaps {
		want = porcupine.Illegal
	}
	if result, info := porcupine.CheckOperationsVerbose(model, h.operations, 2*time.Minute); result != want {
		t.Errorf("the history is %s, want %s", result, want)
		if err := porcupine.VisualizePath(model, info, t.ArtifactDir()+"/history.html"); err != nil {
			t.Error(err)
		}
	}
}

// exclusive stores the workflow that all book, and the planner that it needs, which a stream keeps.
func exclusive(t *testing.T, cluster *natstest.Cluster, posts []*post) {
	t.Helper()
	const peer = "peer"
	body := fmt.Sprintf(`{"id":%q,"graph":{"items":{"n":{"compute":{"id":"gpu","peer_id":%q,"demand":{"gpus":600000}}}}}}`, bookedWorkflow, peer)
	if a := fleettest.Send(t.Context(), http.MethodPut, posts[0].url()+"/oc/"+bookedWorkflow, strings.NewReader(body)); a.Status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", a.Status, a.Body)
	}
	fleettest.Open(t, fleettest.CheckPath(bookedWorkflow), func(attempt int) string { return posts[attempt%len(posts)].url() })
	js, err := jetstream.New(cluster.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	fleettest.NewPeers(js).PublishAll(t, peer)
	for _, p := range posts {
		eventually(t, "the planner and the workflow everywhere", func() bool {
			a := fleettest.Send(t.Context(), http.MethodPost, p.url()+"/oc/"+bookedWorkflow+"/check", strings.NewReader(`{"duration_s":3600}`))
			return a.Status == http.StatusOK && strings.Contains(string(a.Body), `"available":true`)
		})
	}
}

// post is where a replica runs; its links stay the same over restarts.
type post struct {
	links   []*natstest.Proxy
	workers sync.WaitGroup
	end     context.CancelFunc // of their work

	mu      sync.Mutex
	replica *fleettest.Replica
}

func (p *post) each(f func(*natstest.Proxy)) {
	for _, l := range p.links {
		f(l)
	}
}

func (p *post) url() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.replica.URL
}

// start starts a replica.
func (p *post) start(t *testing.T) {
	t.Helper()
	urls := make([]string, len(p.links))
	for i, l := range p.links {
		urls[i] = l.URL()
	}
	r := itself().Start(t, "--js-replicas", "3", "--nats-url", strings.Join(urls, ","))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replica = r
}

// work has some clients ask the replica until it is killed, or they rest.
func (p *post) work(t *testing.T, h *bookingHistory) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p.end = cancel
	for range 3 {
		p.workers.Go(func() { h.work(ctx, t, p.url()) })
	}
}

// rest has the clients ask nothing more.
func (p *post) rest() {
	p.end()
	p.workers.Wait()
}

// kill ends the replica in the midst of what it does.
func (p *post) kill() {
	p.end()
	p.replica.Kill()
	p.workers.Wait()
}

func (p *post) pause(t *testing.T) {
	t.Helper()
	if err := p.replica.Pause(); err != nil {
		t.Fatal(err)
	}
}

func (p *post) resume(t *testing.T) {
	t.Helper()
	if err := p.replica.Resume(); err != nil {
		t.Fatal(err)
	}
}
