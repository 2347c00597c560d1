//go:build soak && unix

package fleettest_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// broken stands for a stream that broke without a close frame.
const broken = websocket.StatusCode(-1)

// fault is something that goes wrong and is mended again when happen returns.
type fault struct {
	name   string
	limit  time.Duration          // for streams to be current when it has ended
	closes []websocket.StatusCode // how streams may be closed by it
	happen func(w *world)
}

const (
	soon = 3 * time.Second
	// A partition may swallow what the bus's consumer was just delivering, which comes again when its
	// AckWait of 10 s is over.
	afterPartition = soon + 10*time.Second
)

var faults = []fault{
	{"a NATS node is killed", soon, nil, func(w *world) { w.loseNode((*natstest.Server).Kill, w.anyNode()) }},
	{"the planners' leader is killed", soon, nil, func(w *world) { w.loseNode((*natstest.Server).Kill, w.cluster.StreamLeader(w, "KV_planners")) }},
	{"the meta leader is killed", soon, nil, func(w *world) { w.loseNode((*natstest.Server).Kill, w.cluster.MetaLeader(w)) }},
	{"a NATS node is restarted", soon, nil, func(w *world) { w.loseNode((*natstest.Server).Stop, w.anyNode()) }},
	{"a NATS node loses its disk", soon, nil, (*world).loseDisk},
	{"a NATS node is partitioned away", afterPartition, nil, (*world).partition},
	{"all NATS nodes are killed", soon, nil, (*world).blackout},
	{"a replica's links are cut", soon, nil, (*world).cutLinks},
	{"a replica's links flap", soon, nil, (*world).flapLinks},
	{"a replica's links go nowhere", soon, nil, (*world).holdLinks},
	{"a replica's links are slow", soon, nil, (*world).slowLinks},
	{"a replica is killed", soon, []websocket.StatusCode{broken}, (*world).killReplica},
	{"a replica is replaced", soon, []websocket.StatusCode{websocket.StatusServiceRestart}, (*world).replaceReplica},
	{"a replica sleeps", soon, []websocket.StatusCode{broken}, (*world).pauseReplica},
}

func (w *world) anyNode() *natstest.Server { return w.cluster.Servers[w.rnd.IntN(3)] }

func (w *world) anyPlace() *place { return w.places[w.rnd.IntN(replicas)] }

// last lets a fault last for a while.
func (w *world) last(least, most time.Duration) {
	time.Sleep(w.between(least, most)) // not for anything to happen: the fault goes on
}

// loseNode takes a node away and starts it again.
func (w *world) loseNode(take func(*natstest.Server), node *natstest.Server) {
	w.loseAndReturn(take, node, func(n *natstest.Server) { n.Restart(w) })
}

// loseAndReturn takes a node away; all has to go on with the other two before it comes back.
func (w *world) loseAndReturn(take func(*natstest.Server), node *natstest.Server, back func(*natstest.Server)) {
	lost := time.Now()
	take(node)
	w.publishing.Lock()
	w.peers.PublishAll(w, w.peerIDs...)
	w.current()
	w.publishing.Unlock()
	w.tally.measure("streams current after the loss of a NATS node (elections take 4 to 9 s)", time.Since(lost), 0, node.Name())
	w.last(0, 3*time.Second)
	back(node)
	w.awaitCluster()
}

// loseDisk brings a node back that has nothing, on slow links, while replicas lose theirs again and again: what they
// read anew they may read from it.
func (w *world) loseDisk() {
	w.loseAndReturn(func(n *natstest.Server) { n.Kill(); n.Empty(w) }, w.anyNode(), func(n *natstest.Server) {
		w.cluster.Slow(n, 150*time.Millisecond)
		n.Restart(w)
		for range 10 {
			w.last(100*time.Millisecond, 700*time.Millisecond)
			for _, p := range w.places {
				p.each((*natstest.Proxy).Flap)
			}
		}
		w.cluster.Slow(n, 0)
	})
}

// awaitCluster waits until NATS is whole again: from then on it is the fleet that has to catch up.
func (w *world) awaitCluster() {
	w.cluster.AwaitHealthy(w)
	begin := time.Now()
	w.cluster.AwaitLed(w)
	w.tally.measure("NATS's own elections after its servers call themselves healthy", time.Since(begin), 0, "")
}

func (w *world) partition() {
	node := w.anyNode()
	w.cluster.Isolate(node)
	w.last(5*time.Second, 25*time.Second)
	w.cluster.Rejoin(node)
	w.awaitCluster()
}

func (w *world) blackout() {
	down := time.Now()
	for _, s := range w.cluster.Servers {
		s.Kill()
	}
	for _, url := range w.every() {
		w.notReady(url, down)
	}
	w.refuses(w.every()[0])
	w.last(0, 30*time.Second)
	for _, s := range w.cluster.Servers {
		s.Restart(w)
	}
	w.awaitCluster()
}

// notReady waits until a replica says that it is out of touch.
func (w *world) notReady(url string, since time.Time) {
	fleettest.Until(w, url+" tells", func() string {
		if a := fleettest.Get(w.Context(), url+"/readyz"); a.Status != http.StatusServiceUnavailable {
			return string(a.Body)
		}
		return ""
	})
	w.tally.measure("readiness tells of an outage", time.Since(since), 5*time.Second, url)
}

// refuses checks that writes fail with 503, and that reads are served with their age.
func (w *world) refuses(url string) {
	ghost := fmt.Sprintf("ghost-%d", w.tally.ghosts)
	w.tally.ghosts++
	a := fleettest.Send(w.Context(), http.MethodPut, url+"/oc/"+ghost, strings.NewReader(fleettest.Workflow(ghost, "nobody")))
	w.tally.judge("writes without NATS get 503 and Retry-After", a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "",
		fmt.Sprintf("%d %v %s", a.Status, a.Header, a.Body))
	began := time.Now()
	fleettest.Until(w, "reads of "+url+" with Age", func() string { // each view notices by itself, some after readiness has told
		a := fleettest.Get(w.Context(), url+"/oc")
		w.tally.judge("reads without NATS are served", a.Status == http.StatusOK, fmt.Sprintf("%d %v", a.Status, a.Header))
		if a.Header.Get("Age") == "" {
			return fmt.Sprintf("%d %v", a.Status, a.Header)
		}
		return ""
	})
	w.tally.measure("reads without NATS tell their Age", time.Since(began), 2*time.Second, url)
}

func (w *world) cutLinks() {
	p, begin := w.anyPlace(), time.Now()
	p.each((*natstest.Proxy).Cut)
	w.notReady(p.replica.URL, begin)
	w.refuses(p.replica.URL)
	w.last(0, 5*time.Second)
	p.each((*natstest.Proxy).Pass)
}

func (w *world) flapLinks() {
	p := w.anyPlace()
	for range 10 {
		p.each((*natstest.Proxy).Flap)
		w.last(0, time.Second)
	}
}

func (w *world) holdLinks() {
	p, begin := w.anyPlace(), time.Now()
	p.each((*natstest.Proxy).Hold)
	w.notReady(p.replica.URL, begin)
	w.last(0, 20*time.Second)
	p.each((*natstest.Proxy).Reset)
}

func (w *world) slowLinks() {
	p := w.anyPlace()
	delay := w.between(20*time.Millisecond, 200*time.Millisecond)
	p.each(func(l *natstest.Proxy) { l.Delay(delay) })
	w.last(time.Second, 5*time.Second)
	p.each((*natstest.Proxy).Pass)
}

func (p *place) each(f func(*natstest.Proxy)) {
	for _, l := range p.links {
		f(l)
	}
}

func (w *world) killReplica() {
	p := w.anyPlace()
	w.setBalance(p, false)
	p.replica.Kill()
	w.survive("the death of a replica")
	w.start(p)
}

func (w *world) replaceReplica() {
	p := w.anyPlace()
	w.setBalance(p, false)
	begin := time.Now()
	if err := p.replica.Drain(); err != nil {
		w.Fatal(err)
	}
	err := p.replica.Wait()
	w.tally.judge("a drained replica exits with 0", err == nil, fmt.Sprint(err))
	w.tally.measure("a drained replica has gone", time.Since(begin), 16*time.Second, p.replica.URL)
	w.survive("a drain")
	w.start(p)
}

// survive checks that the others serve all.
func (w *world) survive(what string) {
	begin := time.Now()
	w.publishing.Lock()
	defer w.publishing.Unlock()
	w.peers.PublishAll(w, w.peerIDs...)
	w.current()
	w.tally.measure("streams current on the other replicas after "+what, time.Since(begin), 3*time.Second, "")
}

// pauseReplica puts a replica to sleep, now and then for longer than its lease.
func (w *world) pauseReplica() {
	p := w.anyPlace()
	w.setBalance(p, false)
	if err := p.replica.Pause(); err != nil {
		w.Fatal(err)
	}
	w.last(time.Second, 45*time.Second)
	if err := p.replica.Resume(); err != nil {
		w.Fatal(err)
	}
	w.setBalance(p, true)
}
