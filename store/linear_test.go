package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
)

// The operations on a planner, and what they gave.
type (
	planned struct { // Apply of a version
		peer    int
		version int
	}
	ended  struct{ peer int } // End
	looked struct{ peer int } // Raw

	outcome struct {
		unknown bool // it may have happened, now or later
		stale   bool // of planned
		late    bool // of planned
		version int  // of looked; 0: there is none
	}
)

func peerOf(input any) int {
	switch in := input.(type) {
	case planned:
		return in.peer
	case ended:
		return in.peer
	}
	return input.(looked).peer
}

// standing is the newest version that was stored since the last end, 0 when there is none, and the last
// one that was stored before it: no version up to that one comes back.
type standing struct{ version, over int }

// plannerModel is what the bucket has to look like to everybody.
var plannerModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byPeer := map[int][]porcupine.Operation{}
		for _, op := range history {
			byPeer[peerOf(op.Input)] = append(byPeer[peerOf(op.Input)], op)
		}
		for _, part := range byPeer {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return standing{} },
	Step: func(state, input, output any) (bool, any) {
		stands, out := state.(standing), output.(outcome)
		switch in := input.(type) {
		case planned:
			if in.version <= stands.over {
				return out.unknown || out.late, stands
			}
			stale := in.version < stands.version
			return out.unknown || !out.late && out.stale == stale, standing{max(in.version, stands.version), stands.over}
		case ended:
			return true, standing{0, max(stands.version, stands.over)}
		}
		return out.unknown || out.version == stands.version, stands
	},
}

// TestPlannersAreLinearizable has three replicas work on the same planners while the leader of their
// bucket is killed, and checks that there is one order in which all that they were told makes sense.
func TestPlannersAreLinearizable(t *testing.T) {
	t.Parallel()
	const peers, clients = 3, 3 // clients of each replica
	cluster := natstest.StartProcesses(t, 3)
	h := &history{begin: time.Now()}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	for range 3 {
		st := linearStore(t, cluster)
		for range clients {
			wg.Go(func() { h.work(ctx, t, st, peers) })
		}
	}
	for range 2 {
		h.await(t, 500)
		leader := cluster.StreamLeader(t, "KV_planners")
		leader.Kill()
		h.await(t, 500)
		leader.Restart(t)
		cluster.AwaitHealthy(t)
	}
	h.await(t, 500)
	stop()
	wg.Wait()

	t.Logf("%d operations, the outcome of %d is unknown", len(h.operations), h.unknown)
	result, info := porcupine.CheckOperationsVerbose(plannerModel, h.operations, 4*time.Minute)
	want := porcupine.Ok
	if !comparesAndSwaps {
		want = porcupine.Illegal
	}
	switch result {
	case want:
	case porcupine.Unknown:
		t.Error("whether the history makes sense is not known: the check has not come to an end")
	default:
		t.Errorf("the history is %s, want %s", result, want)
		h.show(t, info)
	}
}

// linearStore is the store of one replica, on a connection of its own.
func linearStore(t *testing.T, cluster *natstest.Cluster) *store.Store {
	t.Helper()
	js, err := jetstream.New(cluster.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	var st *store.Store
	natstest.Eventually(t, "the cluster takes the buckets", func() bool {
		st, err = store.Open(t.Context(), writer(js), store.Config{Replicas: 3}, discard, nil)
		return err == nil
	})
	natstest.Run(t, st.Run)
	natstest.Receive(t, st.Planners.View().Loaded())
	return st
}

// history is what happened, in the order of its ends.
type history struct {
	begin   time.Time
	clients atomic.Int64
	version atomic.Int64

	mu         sync.Mutex
	operations []porcupine.Operation
	known      int
	unknown    int
}

// work does random things until ctx ends. After something whose outcome is unknown it goes on as
// another client: what it was may still happen. It only looks then, until that succeeds: each thing that may
// happen at any time doubles the work of the check, and an outage leaves few of them, however long it is.
func (h *history) work(ctx context.Context, t *testing.T, st *store.Store, peers int) {
	t.Helper()
	pace := time.NewTicker(2 * time.Millisecond)
	defer pace.Stop()
	for client, doubt := int(h.clients.Add(1)), false; ctx.Err() == nil; <-pace.C {
		input, call := any(nil), time.Since(h.begin)
		var out outcome
		var err error
		switch peer, what := rand.N(peers), rand.N(8); {
		case doubt || what < 3:
			input = looked{peer}
			out.version, err = look(ctx, st, peer)
		case what == 3:
			input = ended{peer}
			err = st.Planners.End(ctx, peerName(peer), "", always)
		default:
			// Mostly in order, as planners are, but some come late.
			in := planned{peer, max(1, int(h.version.Add(1))-rand.N(4))}
			input = in
			out.stale, out.late, err = plan(ctx, t, st, in)
		}
		if err != nil && !errors.Is(err, kv.ErrUnavailable) && ctx.Err() == nil {
			t.Errorf("%v: %v", input, err)
		}
		if doubt, out.unknown = err != nil, err != nil; doubt {
			client = int(h.clients.Add(1))
		}
		h.add(porcupine.Operation{ClientId: client, Input: input, Call: int64(call), Output: out, Return: int64(time.Since(h.begin))})
	}
}

func peerName(peer int) string { return fmt.Sprintf("p%d", peer) }

func plan(ctx context.Context, t *testing.T, st *store.Store, in planned) (stale, late bool, err error) {
	t.Helper()
	raw := plannerJSON(peerName(in.peer), now.Add(time.Duration(in.version)*time.Millisecond), in.version)
	src := at(uint64(in.version))
	src.Time = src.Time.Add(time.Hour) // after each end: the numbers decide
	result, err := st.Planners.Apply(ctx, raw, decode(t, raw), src)
	return result == origin.Stale, result == origin.Late, err
}

func look(ctx context.Context, st *store.Store, peer int) (version int, err error) {
	raw, _, err := st.Planners.Raw(ctx, peerName(peer))
	if errors.Is(err, kv.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var p struct {
		Generated time.Time `json:"generated_at"`
	}
	err = json.Unmarshal(raw, &p)
	return int(p.Generated.Sub(now) / time.Millisecond), err
}

func (h *history) add(op porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if op.Output.(outcome).unknown {
		op.Return = int64(time.Hour) // after everything else
		if _, read := op.Input.(looked); read {
			return // it says nothing
		}
		h.unknown++
	} else {
		h.known++
	}
	h.operations = append(h.operations, op)
}

// await waits until so many more operations have come to an end.
func (h *history) await(t *testing.T, more int) {
	t.Helper()
	count := func() int { h.mu.Lock(); defer h.mu.Unlock(); return h.known }
	until := count() + more
	natstest.Eventually(t, "operations succeed", func() bool { return count() >= until })
}

// show keeps a picture of a history that makes no sense.
func (h *history) show(t *testing.T, info porcupine.LinearizationInfo) {
	t.Helper()
	file := t.ArtifactDir() + "/history.html"
	if err := porcupine.VisualizePath(plannerModel, info, file); err != nil {
		t.Error(err)
	}
	t.Logf("see %s (go test -artifacts keeps it)", file)
}
