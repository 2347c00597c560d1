package orchestrator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// auditor counts, beside what becomes of executions, the events of each node in an execution of its own:
// in ExitCode how many had their effect, and in Reason each that was not the next one.
type auditor struct{ orchestrator.Executions }

func (a auditor) HandleEvents(ctx context.Context, nodeID string, events []*envelope.Message, step *store.Step) error {
	if err := a.Executions.HandleEvents(ctx, nodeID, events, step); err != nil {
		return err
	}
	e, err := step.Execution(ctx, "count-"+nodeID)
	if err != nil {
		return err
	}
	e.ExecutionID, e.NodeID, e.State = "count-"+nodeID, nodeID, execution.Running
	n := 0
	if e.ExitCode != nil {
		n = *e.ExitCode
	}
	for _, m := range events {
		if m.Sequence != e.Event.Sequence+1 {
			e.Reason += fmt.Sprintf("%d after %d; ", m.Sequence, e.Event.Sequence)
		}
		n++
		e.Event = execution.EventRef{Ledger: m.Source, Sequence: m.Sequence}
	}
	e.ExitCode = &n
	return step.Set(e)
}

const fleetNodes = 10

// turmoil breaks things at random until ctx ends: replicas die and come back, and so does the NATS server
// that leads a stream of the compute connection.
type turmoil struct {
	cluster  *natstest.Cluster
	start    func(name string) *replica
	replicas map[string]*replica
	died     sync.Map // what → times
}

func (u *turmoil) count(what string) {
	n, _ := u.died.LoadOrStore(what, new(atomic.Int32))
	n.(*atomic.Int32).Add(1)
}

func (u *turmoil) killReplicas(ctx context.Context, t *testing.T) {
	t.Helper()
	for pause(ctx, time.Second+rand.N(2*time.Second)); ctx.Err() == nil; pause(ctx, time.Second+rand.N(2*time.Second)) {
		name := string(rune('a' + rand.N(3)))
		if rand.N(3) == 0 {
			u.replicas[name].drain(t)
			u.count("drained")
		} else {
			u.replicas[name].kill(t)
			u.count("killed")
		}
		pause(ctx, rand.N(time.Second))
		u.replicas[name] = u.start(name)
	}
}

func (u *turmoil) killLeaders(ctx context.Context, t *testing.T) {
	t.Helper()
	for pause(ctx, 2*time.Second); ctx.Err() == nil; pause(ctx, rand.N(3*time.Second)) {
		stream := []string{"KV_executions", nclprotocol.OutStream, "KV_partitions"}[rand.N(3)]
		leader := u.cluster.StreamLeader(t, stream)
		leader.Kill()
		u.count("leader of " + stream)
		pause(ctx, time.Second+rand.N(3*time.Second))
		leader.Restart(t)
		u.cluster.AwaitHealthy(t) // one at a time: two are no cluster
	}
}

func (u *turmoil) run(ctx context.Context, t *testing.T) {
	t.Helper()
	var breaking sync.WaitGroup
	breaking.Go(func() { u.killLeaders(ctx, t) })
	u.killReplicas(ctx, t)
	breaking.Wait()
	u.died.Range(func(what, n any) bool {
		t.Logf("%s: %d", what, n.(*atomic.Int32).Load())
		return true
	})
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// allHandled waits as long as it goes on.
func allHandled(t *testing.T, r *replica, sites []*site, each uint64) {
	t.Helper()
	for sum, want := uint64(0), each*uint64(len(sites)); sum < want; {
		before := sum
		natstest.Eventually(t, fmt.Sprintf("more than %d of %d events are handled", before, want), func() bool {
			sum = 0
			for _, s := range sites {
				if c, err := r.store.Executions.RoughCursor(t.Context(), s.id); err == nil {
					sum += c.Sequence
				}
			}
			return sum > before
		})
	}
}

// TestEveryEventHasItsEffectOnce while replicas and the leaders of NATS are killed at random.
func TestEveryEventHasItsEffectOnce(t *testing.T) {
	t.Parallel()
	each, during := fleetEvents/fleetNodes, fleetTurmoil
	cluster := natstest.StartProcesses(t, 3)
	u := &turmoil{cluster: cluster, replicas: map[string]*replica{}}
	u.start = func(name string) *replica {
		return startReplica(t, cluster, name, func(c *orchestrator.Config) {
			c.Copies, c.LeaseTTL, c.Handler = 3, 2*leaseTTL, auditor{}
		})
	}
	for _, name := range []string{"a", "b", "c"} {
		u.replicas[name] = u.start(name)
	}
	began := time.Now()
	var telling sync.WaitGroup
	var sites []*site
	for i := range fleetNodes {
		s := startSite(t, strings.Join(cluster.URLs(), ","), fmt.Sprintf("n%d", i))
		sites = append(sites, s)
		telling.Go(func() {
			tick := time.NewTicker(during / time.Duration(each/20))
			defer tick.Stop()
			for n := range each {
				if n%20 == 0 {
					<-tick.C
				}
				s.tell(t, changed(fmt.Sprintf("%s-x%d", s.id, n), "queued"))
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	u.run(ctx, t)
	telling.Wait()
	t.Logf("all were told, and nothing is broken any more, after %v", time.Since(began).Round(time.Second))
	allHandled(t, u.replicas["a"], sites, uint64(each))
	t.Logf("all %d events were handled after %v", fleetEvents, time.Since(began).Round(time.Second))
	for _, s := range sites {
		var e execution.Execution
		natstest.Eventually(t, "the count of "+s.id, func() bool {
			var err error
			e, err = u.replicas["a"].store.Executions.Get(t.Context(), "count-"+s.id)
			return err == nil
		})
		if e.ExitCode == nil || *e.ExitCode != each || e.Event.Sequence != uint64(each) || e.Reason != "" {
			t.Errorf("%s: %+v", s.id, e)
		}
	}
	natstest.Eventually(t, "every execution is there", func() bool {
		return u.replicas["b"].store.Executions.View().Len() == fleetEvents+fleetNodes
	})
}
