//go:build soak && unix

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oc-scheduler/events"
	"oc-scheduler/internal/fleettest"
)

var (
	nodesFor  = flag.Duration("nodes-for", 2*time.Minute, "how long things happen to nodes")
	nodesSeed = flag.Uint64("nodes-seed", uint64(time.Now().UnixNano()), "of what happens to them")
)

// TestSoakNodesAsProcesses kills, stops, restarts, changes, rejects and approves the nodes of a peer, all of them
// processes, below a fleet of three of which some die meanwhile, never the last: at every quiet moment the planner is
// what the living approved ones offer, on every replica and in every stream; nothing is said on the bus for that, and
// who asks there is answered once.
func TestSoakNodesAsProcesses(t *testing.T) {
	t.Logf("seed %d", *nodesSeed)
	p := newPark(t, 20, rand.New(rand.NewPCG(*nodesSeed, 0)))
	p.quiet("the start")
	asked, _ := fleettest.Counts(t, p.fleet.js, "site") // before the first node had told what it offers
	rounds := 0
	for end := time.Now().Add(*nodesFor); time.Now().Before(end); rounds++ {
		p.ask()
		var happened []string
		for range 1 + p.random.IntN(6) {
			happened = append(happened, p.strike())
		}
		p.quiet(strings.Join(happened, ", "))
	}
	t.Logf("%d rounds, the slowest took %v; %d questions; streams were closed %v", rounds, p.slowest, p.questions, closes(p.streams))
	if requests, closes := fleettest.Counts(t, p.fleet.js, "site"); requests["site"] != asked["site"] || closes["site"] > 0 {
		t.Errorf("%v requests after %v, and %v closes", requests, asked, closes)
	}
	for _, s := range p.streams {
		s.Close()
	}
	fleettest.Until(t, "the planner is closed", func() string {
		if _, closes := fleettest.Counts(t, p.fleet.js, "site"); closes["site"] != 1 {
			return fmt.Sprint(closes["site"], " closes")
		}
		return ""
	})
}

// park is a peer's nodes below a fleet with streams on it.
type park struct {
	*testing.T
	fleet    *fleet
	replicas *crew
	nodes    []*parked
	streams  []*fleettest.Stream
	random   *rand.Rand

	questions int // that were asked of the planner on the bus
	slowest   time.Duration
}

// parked is a node, and what was done to it.
type parked struct {
	id                string
	dir               string
	process           *fleettest.Process // nil: it is dead
	level             int                // how much it has
	stopped, rejected bool
}

func newPark(t *testing.T, nodes int, random *rand.Rand) *park {
	t.Helper()
	f := newFleet(t)
	p := &park{T: t, fleet: f, replicas: newCrew(t, 3, "--nats-url", f.server.URL()), random: random}
	const workflow = `{"id":"w","graph":{"items":{"n":{"compute":{"id":"dc","peer_id":"site","demand":{"ram_gb":1}}}}}}`
	if a := fleettest.Send(t.Context(), http.MethodPut, p.replicas.any()+"/oc/w", strings.NewReader(workflow)); a.Status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", a.Status, a.Body)
	}
	for n := range nodes {
		node := &parked{id: fmt.Sprintf("node-%02d", n), dir: t.TempDir()}
		p.start(node)
		p.nodes = append(p.nodes, node)
	}
	for i := range 6 {
		p.streams = append(p.streams, fleettest.Open(t, fleettest.CheckPath("w"), func(attempt int) string { return p.replicas.one(i + attempt) }))
	}
	return p
}

// start starts a node with the ledger that it had, and something else to offer.
func (p *park) start(n *parked) {
	p.Helper()
	n.level++
	config := filepath.Join(n.dir, "peer.yaml")
	text := fmt.Sprintf("peer_id: site\nnode_id: %s\ndata_dir: %s\nresources: {dc: {of-%s: {ram_gb: %d}}}\nheartbeat: {interval: 1s, misses: 4}\n",
		n.id, filepath.Join(n.dir, "data"), n.id, n.level)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	n.process = itself().Run(p, "peer", "--config", config, "--nats-url", p.fleet.server.URL(), "--log-level", "error")
}

// strike does something to a node, or to a replica, and says what.
func (p *park) strike() string {
	p.Helper()
	if p.random.IntN(6) == 0 {
		return p.strikeReplica(p.random.IntN(len(p.replicas.replicas)))
	}
	return p.strikeNode(p.nodes[p.random.IntN(len(p.nodes))])
}

// strikeReplica kills one, unless it is the last, or has it come back.
func (p *park) strikeReplica(i int) string {
	p.Helper()
	switch {
	case !p.replicas.lives(i):
		p.replicas.start(p.T, i)
		return fmt.Sprint("start replica ", i)
	case len(p.replicas.alive()) == 1:
		return "nothing"
	}
	p.replicas.kill(i)
	return fmt.Sprint("kill replica ", i)
}

// lives says whether a replica does.
func (c *crew) lives(i int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replicas[i] != nil
}

// strikeNode does something to a node that its state allows, and says what.
func (p *park) strikeNode(n *parked) string {
	p.Helper()
	var what string
	var err error
	switch chance := p.random.IntN(5); {
	case n.rejected && chance < 3:
		n.rejected, what = false, "approve"
		p.decide(n, "approve")
	case n.process == nil:
		what = "start"
		p.start(n)
	case n.stopped && chance < 4:
		n.stopped, what = false, "continue"
		err = n.process.Resume()
	case n.stopped || chance == 0:
		what = "kill"
		n.process.Kill()
		n.process, n.stopped = nil, false
	case chance == 1:
		n.stopped, what = true, "stop"
		err = n.process.Pause()
	case chance == 2 && n != p.nodes[0] && !n.rejected: // somebody always has a say of what the peer has
		n.rejected, what = true, "reject"
		p.decide(n, "reject")
	case chance == 3:
		what = "end"
		err = n.process.Drain()
		_ = n.process.Wait() // by a signal, where it has only just begun
		n.process = nil
	default:
		what = "restart"
		n.process.Kill()
		p.start(n)
	}
	if err != nil {
		p.Fatalf("%s %s: %v", what, n.id, err)
	}
	return what + " " + n.id
}

func (p *park) decide(n *parked, decision string) {
	p.Helper()
	a := fleettest.Send(p.Context(), http.MethodPost, p.replicas.one(p.random.IntN(3))+"/nodes/"+n.id+"/"+decision, nil)
	if a.Status/100 != 2 {
		p.Fatalf("%s %s: %d %s", decision, n.id, a.Status, a.Body)
	}
}

// ask asks on the bus for the planner, as others do, where whatever happens next leaves somebody to be told of.
func (p *park) ask() {
	p.Helper()
	if len(p.wanted()) < 7 {
		return
	}
	payload, err := events.Propagated{Action: events.ActionPlanner, Payload: []byte(`{"peer_id":"site"}`)}.Encode()
	if err != nil {
		p.Fatal(err)
	}
	event, err := events.Envelope{FromApp: "oc-front", Payload: payload}.Encode()
	if err != nil {
		p.Fatal(err)
	}
	if _, err := p.fleet.js.Publish(p.Context(), events.Propagation, event); err != nil {
		p.Fatal(err)
	}
	p.questions++
}

// wanted is what the living approved nodes offer.
func (p *park) wanted() map[string]float64 {
	want := map[string]float64{}
	for _, n := range p.nodes {
		if n.process != nil && !n.stopped && !n.rejected {
			want["of-"+n.id] = float64(n.level)
		}
	}
	return want
}

// quiet waits until every replica and every stream shows what the living approved nodes offer, and all questions are
// answered.
func (p *park) quiet(after string) {
	p.Helper()
	want := p.wanted()
	took := fleettest.Until(p, "the planner after "+after, func() string {
		versions := map[string]bool{}
		for _, url := range p.replicas.alive() {
			has, lacks := p.instances(url)
			if lacks != "" || !maps.Equal(has, want) {
				return fmt.Sprintf("%s %s has %v, wanted %v", lacks, url, has, want)
			}
			var result struct{ Version string }
			a := fleettest.Get(p.Context(), url+fleettest.CheckPath("w"))
			if err := json.Unmarshal(a.Body, &result); err != nil {
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
		heard, err := fleettest.Heard(p.Context(), p.fleet.js)
		if answers := len(heard["site"].Answers); err != nil || answers < p.questions {
			return fmt.Sprintf("%d of %d questions are answered; %v", answers, p.questions, err)
		} else if answers > p.questions {
			p.Errorf("%d answers to %d questions", answers, p.questions)
			p.questions = answers
		}
		return ""
	})
	p.slowest = max(p.slowest, took)
	p.Logf("%v after %s: %d nodes", took.Round(time.Millisecond), after, len(want))
}

// instances is what a replica has of the peer's planner.
func (p *park) instances(url string) (has map[string]float64, lacks string) {
	a := fleettest.Get(p.Context(), url+"/planners/site")
	var planner struct {
		Capacities map[string]map[string]map[string]float64
	}
	if err := json.Unmarshal(a.Body, &planner); err != nil || a.Status != http.StatusOK {
		return nil, fmt.Sprintf("%d %s", a.Status, a.Body)
	}
	has = map[string]float64{}
	for instance, amounts := range planner.Capacities["dc"] {
		has[instance] = amounts["ram_gb"]
	}
	return has, ""
}
