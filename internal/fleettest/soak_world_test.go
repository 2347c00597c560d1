//go:build soak && unix

package fleettest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// world is all that takes part in a soak.
type world struct {
	*testing.T
	rnd     *rand.Rand
	begin   time.Time
	cluster *natstest.Cluster
	js      jetstream.JetStream
	places  []*place
	peers   *fleettest.Peers
	peerIDs []string
	streams []*fleettest.Stream
	tally   tally

	publishing sync.Mutex // held by whoever publishes
	mu         sync.Mutex
	urls       []string // of the replicas that the load balancer sends clients to
}

// place is where a replica runs; its links to the NATS servers stay the same over restarts.
type place struct {
	replica *fleettest.Replica
	links   []*natstest.Proxy
}

func newWorld(t *testing.T, rnd *rand.Rand) *world {
	t.Helper()
	cluster := natstest.StartProcesses(t, 3, func(o *server.Options) {
		o.Cluster.NoAdvertise = true
		o.JetStreamMaxCatchup = 64 << 10 // it takes a node that has lost its disk a while to fetch all
	})
	nc := cluster.Connect(t)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, rnd: rnd, begin: time.Now(), cluster: cluster, js: js, peers: fleettest.NewPeers(js), tally: newTally()}
	w.peers.Crowd(moreSlots)
	for range replicas {
		p := &place{}
		for _, s := range cluster.Servers {
			p.links = append(p.links, natstest.StartProxy(t, s.Addr()))
		}
		w.places = append(w.places, p)
		w.start(p)
	}
	for i := range peers {
		peer := fmt.Sprintf("peer-%d", i)
		w.peerIDs = append(w.peerIDs, peer)
		w.peers.Skew(peer, w.skew(i))
		w.put("wf-"+peer, peer)
	}
	w.answerRequests(nc)
	for i := range clients {
		path := fleettest.CheckPath("wf-" + w.peerIDs[i%peers])
		w.streams = append(w.streams, fleettest.Open(t, path, func(int) string { return w.balance() }))
	}
	w.keepPublishing()
	return w
}

// skew is how far a peer's clock is ahead: right, a little wrong either way, or hopeless.
func (w *world) skew(peer int) time.Duration {
	switch peer % 5 {
	case 0:
		return 0
	case 1:
		return time.Hour
	case 2:
		return -time.Hour
	}
	return w.between(-4*time.Minute, 4*time.Minute)
}

func (w *world) between(least, most time.Duration) time.Duration {
	return least + time.Duration(w.rnd.Int64N(int64(most-least)+1))
}

// start starts a replica in a place and has the load balancer send clients to it.
func (w *world) start(p *place) {
	w.Helper()
	urls := make([]string, len(p.links))
	for i, l := range p.links {
		urls[i] = l.URL()
	}
	p.replica = fleettest.Program{Path: *binary}.Start(w, "--log-level", "error", "--js-replicas", "3", "--drain-grace", "1s",
		"--planner-ttl", plannerTTL.String(), "--nats-url", strings.Join(urls, ","))
	w.setBalance(p, true)
}

// setBalance sends clients to a replica, or no longer.
func (w *world) setBalance(p *place, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	urls := []string{}
	for _, u := range w.urls {
		if u != p.replica.URL {
			urls = append(urls, u)
		}
	}
	if on {
		urls = append(urls, p.replica.URL)
	}
	w.urls = urls
}

func (w *world) balance() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.urls[rand.N(len(w.urls))]
}

// every is the URLs of all replicas.
func (w *world) every() []string {
	urls := make([]string, len(w.places))
	for i, p := range w.places {
		urls[i] = p.replica.URL
	}
	return urls
}

func (w *world) put(id string, peerIDs ...string) {
	w.Helper()
	fleettest.Until(w, "workflow "+id, func() string {
		a := fleettest.Send(w.Context(), http.MethodPut, w.balance()+"/oc/"+id, strings.NewReader(fleettest.Workflow(id, peerIDs...)))
		if a.Status != http.StatusCreated && a.Status != http.StatusOK {
			return string(a.Body)
		}
		return ""
	})
	for _, url := range w.every() {
		fleettest.Until(w, id+" everywhere", func() string {
			if a := fleettest.Get(w.Context(), url+"/oc/"+id); a.Status != http.StatusOK {
				return string(a.Body)
			}
			return ""
		})
	}
}

// answerRequests has every peer publish its planner when it is asked to.
func (w *world) answerRequests(nc *nats.Conn) {
	var answers sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	sub, err := nc.Subscribe(events.Propagation, func(m *nats.Msg) {
		if peer := requested(m.Data); peer != "" {
			answers.Go(func() { _ = w.peers.Publish(ctx, peer) }) // it fails when the test ends
		}
	})
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = sub.Unsubscribe(); cancel(); answers.Wait() })
}

func requested(data []byte) string {
	envelope, err := events.DecodeEnvelope(data)
	if err != nil || envelope.FromApp != "oc-scheduler" {
		return ""
	}
	said, err := events.DecodePropagated(envelope.Payload)
	var peer struct {
		ID string `json:"peer_id"`
	}
	if err != nil || said.Action != "PB_PLANNER" || json.Unmarshal(said.Payload, &peer) != nil {
		return ""
	}
	return peer.ID
}

// keepPublishing has the peers publish in turn, each every second or so, but for every third: that
// one speaks when it is asked to, so that its planner's life ends while it is watched.
func (w *world) keepPublishing() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		pace := time.NewTicker(time.Second / peers)
		defer pace.Stop()
		for i := 0; ctx.Err() == nil; i++ {
			if i%3 > 0 {
				w.publishing.Lock()
				_ = w.peers.Publish(ctx, w.peerIDs[i%peers]) // it fails when the test ends
				w.publishing.Unlock()
			}
			<-pace.C
		}
	}()
	w.Cleanup(func() { cancel(); <-done })
}

// closes counts how streams have been closed so far.
func (w *world) closes() map[websocket.StatusCode]int {
	all := map[websocket.StatusCode]int{}
	for _, s := range w.streams {
		for code, n := range s.Closed() {
			all[code] += n
		}
	}
	return maps.Clone(all)
}

func (w *world) say(format string, args ...any) {
	w.Logf("%7s  %s", time.Since(w.begin).Truncate(100*time.Millisecond), fmt.Sprintf(format, args...))
}
