//go:build long

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/planners"
)

// TestClocks runs processes whose clocks are wrong.
func TestClocks(t *testing.T) {
	t.Parallel()
	shiftable := natstest.Shiftable(t)
	t.Run("servers", func(t *testing.T) { serversApart(t, shiftable) })
	t.Run("replicas", func(t *testing.T) { replicasApart(t, shiftable) })
}

// serversApart: the server that times the ends of lives is ahead of the one that times arrivals, as far
// as is allowed. A peer that answers at once is not asked twice.
func serversApart(t *testing.T, shiftable string) {
	t.Helper()
	const ahead = planners.MaxSkew - 100*time.Millisecond
	c := natstest.StartShifted(t, shiftable, ahead, 0, 0)
	js, err := jetstream.New(c.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	p := fleettest.Program{Path: shiftable, Env: []string{asProgram + "=1"}}
	f := &fleet{js: js, peers: fleettest.NewPeers(js)}
	r := p.Start(t, "--nats-url", strings.Join(c.URLs(), ","), "--js-replicas", "3")
	c.Lead(t, c.Servers[0], "KV_planners")
	c.Lead(t, c.Servers[1], "OC_BUS")
	f.answer(t, "peer")
	f.put(t, "peer", r)
	kv, err := js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	s := f.open(t, "peer", r)
	lives := 1
	for range 3 {
		f.lived(t, s, lives)
		s.Close()
		f.closed(t, lives)
		s = f.open(t, "peer", r)
		lives++
		f.lived(t, s, lives)
		if err := kv.Delete(t.Context(), "peer"); err != nil { // acts as an expiry
			t.Fatal(err)
		}
		f.closed(t, lives)
		lives++
	}
	f.lived(t, s, lives)
}

// lived waits until the stream shows the planner of that life, and expects that each was asked for once.
func (f *fleet) lived(t *testing.T, s *fleettest.Stream, lives int) {
	t.Helper()
	fleettest.Until(t, "an answer to each request", func() string {
		if level := f.peers.Levels()["peer"]; level < lives {
			return fmt.Sprintf("%d answers, want %d", level, lives)
		}
		return ""
	})
	fleettest.Current(t, []*fleettest.Stream{s}, f.peers.Levels())
	if requests, _ := fleettest.Counts(t, f.js, "peer"); requests["peer"] != lives {
		t.Errorf("%d requests in %d lives", requests["peer"], lives)
	}
}

func (f *fleet) closed(t *testing.T, lives int) {
	t.Helper()
	fleettest.Until(t, "the close of each life", func() string {
		if _, closes := fleettest.Counts(t, f.js, "peer"); closes["peer"] < lives {
			return fmt.Sprintf("%d closes, want %d", closes["peer"], lives)
		}
		return ""
	})
}

// answer has a peer publish its planner whenever it is asked.
func (f *fleet) answer(t *testing.T, peer string) {
	t.Helper()
	asked := make(chan *nats.Msg, 100)
	sub, err := f.js.Conn().ChanSubscribe(events.Propagation, asked)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case m := <-asked:
				if asks(m.Data, peer) {
					_ = f.peers.Publish(ctx, peer) // it fails when the test is over
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done; _ = sub.Unsubscribe() })
}

// asks says whether a message of the bus is our request for the planner of a peer.
func asks(data []byte, peer string) bool {
	e, err := events.DecodeEnvelope(data)
	if err != nil || e.FromApp != events.FromScheduler {
		return false
	}
	p, err := events.DecodePropagated(e.Payload)
	return err == nil && p.Action == events.ActionPlanner && strings.Contains(string(p.Payload), strconv.Quote(peer))
}

// replicasApart: replicas whose clocks differ by minutes. No planner is ended before its time, and no
// request is repeated early.
func replicasApart(t *testing.T, shiftable string) {
	t.Helper()
	const ttl = 8 * time.Second
	f := newFleet(t)
	var replicas []*fleettest.Replica
	for i, ahead := range []time.Duration{10 * time.Minute, -10 * time.Minute, 2 * time.Second} {
		p := fleettest.Program{Path: shiftable, Env: []string{asProgram + "=1", natstest.Ahead(ahead)}}
		replicas = append(replicas, p.Start(t, "--nats-url", f.server.URL(), "--planner-ttl", ttl.String(), "--replica-id", fmt.Sprint("r", i)))
	}
	peers := []string{"peer0", "peer1"}
	for i, peer := range append(peers, "silent") {
		f.put(t, peer, replicas...)
		for j := range replicas {
			f.open(t, peer, replicas[(i+j)%len(replicas)])
		}
	}
	for _, peer := range peers {
		f.peers.PublishAll(t, peer)
		if lived := f.lifetime(t, peer); lived < ttl {
			t.Errorf("%s lived for %v", peer, lived)
		}
	}
	requests := f.requests(t, "silent", 2)
	if early := 10*time.Second - requests[1].Sub(requests[0]); early > time.Second { // claims are made a moment before
		t.Errorf("a request is repeated %v early", early)
	}
	if heard, err := fleettest.Heard(t.Context(), f.js); err != nil || len(heard["silent"].Closes) > 0 {
		t.Errorf("silent was closed: %v, %v", heard["silent"], err)
	}
}

// lifetime waits for a planner and for the end of its life, and says how much later the latter was stored.
func (f *fleet) lifetime(t *testing.T, peer string) time.Duration {
	t.Helper()
	stream, err := f.js.Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	stored := func(what string, ok func(*jetstream.RawStreamMsg) bool) (at time.Time) {
		fleettest.Until(t, peer+": "+what, func() string {
			m, err := stream.GetLastMsgForSubject(t.Context(), "$KV.planners."+peer)
			if err != nil || !ok(m) {
				return fmt.Sprint(m, err)
			}
			at = m.Time
			return ""
		})
		return at
	}
	began := stored("its planner", func(m *jetstream.RawStreamMsg) bool { return len(m.Data) > 0 })
	return stored("its end", func(m *jetstream.RawStreamMsg) bool { return len(m.Data) == 0 }).Sub(began)
}

// requests waits for that many requests for a peer's planner, and says when the bus took them.
func (f *fleet) requests(t *testing.T, peer string, n int) (at []time.Time) {
	t.Helper()
	fleettest.Until(t, "requests for "+peer, func() string {
		heard, err := fleettest.Heard(t.Context(), f.js)
		if at = heard[peer].Requests; err != nil || len(at) < n {
			return fmt.Sprintf("%d, %v", len(at), err)
		}
		return ""
	})
	return at
}
