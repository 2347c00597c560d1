package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/watcher"
)

// TestAPeerOfManyNodes: whatever becomes of the nodes of a peer, at every quiet moment its planner is what the
// living approved ones offer, on every replica and in every stream; and nothing is said on the bus for that.
func TestAPeerOfManyNodes(t *testing.T) {
	t.Parallel()
	newPark(t, 8).chaos(t, func(round int) bool { return round < 3 })
}

// park is a peer's nodes, below a fleet of three with a stream on each.
type park struct {
	server   *natstest.Server
	js       jetstream.JetStream
	replicas []*running
	nodes    []*parked
	streams  []*fleettest.Stream
	random   *rand.Rand
}

// parked is a node behind a link of its own.
type parked struct {
	id      string
	link    *natstest.Proxy
	ledger  *watcher.MemoryStore
	manager *compute.ConnectionManager // nil: it is dead

	away     bool // its link is a black hole, as with a process that is stopped
	rejected bool

	mu      sync.Mutex
	level   int
	changed chan struct{}
}

func newPark(t *testing.T, nodes int) *park {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	server := natstest.Start(t)
	p := &park{server: server, js: server.JetStream(t), random: rand.New(rand.NewPCG(seed, 0))}
	p.replicas = replicas(t, server, 3)
	for n := range nodes {
		node := &parked{id: fmt.Sprintf("node-%02d", n), link: natstest.StartProxy(t, server.Addr()), ledger: watcher.NewMemoryStore(), changed: make(chan struct{})}
		node.start(t)
		t.Cleanup(func() { node.kill(t) })
		p.nodes = append(p.nodes, node)
	}
	const workflow = `{"id":"w","graph":{"items":{"n":{"compute":{"id":"dc","peer_id":"site","demand":{"ram_gb":1}}}}}}`
	if a := fleettest.Send(t.Context(), http.MethodPut, p.replicas[0].URL()+"/oc/w", strings.NewReader(workflow)); a.Status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", a.Status, a.Body)
	}
	for _, r := range p.replicas {
		p.streams = append(p.streams, fleettest.Open(t, fleettest.CheckPath("w"), func(int) string { return r.URL() }))
	}
	return p
}

// chaos lets things happen to several nodes at a time, and waits for what must hold then.
func (p *park) chaos(t *testing.T, more func(round int) bool) {
	t.Helper()
	p.quiet(t, "the start")
	asked, _ := fleettest.Counts(t, p.js, "site") // before the first node had told what it offers
	for round := 0; more(round); round++ {
		var happened []string
		for range 1 + p.random.IntN(5) {
			happened = append(happened, p.strike(t, p.nodes[p.random.IntN(len(p.nodes))]))
		}
		p.quiet(t, strings.Join(happened, ", "))
	}
	if requests, closes := fleettest.Counts(t, p.js, "site"); requests["site"] != asked["site"] || closes["site"] > 0 {
		t.Errorf("%v requests after %v, and %v closes", requests, asked, closes)
	}
	for _, s := range p.streams {
		s.Close()
	}
	fleettest.Until(t, "the planner is closed", func() string {
		if _, closes := fleettest.Counts(t, p.js, "site"); closes["site"] != 1 {
			return fmt.Sprint(closes["site"], " closes")
		}
		return ""
	})
}

// strike does something to a node that its state allows, and says what.
func (p *park) strike(t *testing.T, n *parked) string {
	t.Helper()
	var what string
	switch chance := p.random.IntN(4); {
	case n.rejected:
		n.rejected, what = false, "approve"
		p.decide(t, n, "approve")
	case n.manager == nil:
		what = "start"
		n.link.Pass()
		n.start(t)
	case n.away:
		n.away, what = false, "continue"
		n.link.Reset()
	case chance == 0:
		what = "kill"
		n.kill(t)
	case chance == 1:
		n.away, what = true, "stop"
		n.link.Hold()
	case chance == 2 && n != p.nodes[0]: // somebody always has a say of what the peer has
		n.rejected, what = true, "reject"
		p.decide(t, n, "reject")
	default:
		what = "change"
		n.change()
	}
	return what + " " + n.id
}

func (p *park) decide(t *testing.T, n *parked, decision string) {
	t.Helper()
	a := fleettest.Send(t.Context(), http.MethodPost, p.replicas[p.random.IntN(3)].URL()+"/nodes/"+n.id+"/"+decision, nil)
	if a.Status/100 != 2 {
		t.Fatalf("%s %s: %d %s", decision, n.id, a.Status, a.Body)
	}
}

// quiet waits until every replica and every stream shows what the living approved nodes offer.
func (p *park) quiet(t *testing.T, after string) {
	t.Helper()
	want := map[string]float64{}
	for _, n := range p.nodes {
		if n.manager != nil && !n.away && !n.rejected {
			instance, level := n.offers()
			want[instance] = float64(level)
		}
	}
	took := fleettest.Until(t, "the planner after "+after, func() string {
		versions := map[string]bool{}
		for _, r := range p.replicas {
			if has := instances(t, r); !maps.Equal(has, want) {
				return fmt.Sprintf("is %v, not %v: %s", has, want, strings.Join(p.differing(t, r, has, want), "; "))
			}
			var result struct{ Version string }
			if err := json.Unmarshal([]byte(r.checked(t, "w", "").Body), &result); err != nil {
				return err.Error()
			}
			versions[result.Version] = true
		}
		for _, s := range p.streams {
			versions[s.Version()] = true
		}
		if len(versions) != 1 {
			return fmt.Sprintf("has versions %v", versions)
		}
		return ""
	})
	t.Logf("%v after %s", took.Round(time.Millisecond), after)
}

// differing are the nodes whose instances are not as they should be, as a replica shows them.
func (p *park) differing(t *testing.T, r *running, has, want map[string]float64) (nodes []string) {
	t.Helper()
	for _, n := range p.nodes {
		instance, _ := n.offers()
		level, has := has[instance]
		wanted, wants := want[instance]
		if has == wants && level == wanted {
			continue
		}
		_, body := r.status(t, "/nodes/"+n.id)
		nodes = append(nodes, body)
		if n.manager != nil {
			nodes = append(nodes, fmt.Sprintf("%+v", n.manager.GetHealth()))
		}
	}
	return nodes
}

// instances is what a replica has of the peer's planner.
func instances(t *testing.T, r *running) map[string]float64 {
	t.Helper()
	var planner struct {
		Capacities map[string]map[string]map[string]float64
	}
	status, body := r.status(t, "/planners/site")
	if err := json.Unmarshal([]byte(body), &planner); err != nil || status != http.StatusOK {
		return map[string]float64{body: float64(status)}
	}
	has := map[string]float64{}
	for instance, amounts := range planner.Capacities["dc"] {
		has[instance] = amounts["ram_gb"]
	}
	return has
}
