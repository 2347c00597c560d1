//go:build long

package main

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// TestADrainOfManyStreams ends a replica with 500 WebSockets and 50 streams of server-sent events.
func TestADrainOfManyStreams(t *testing.T) {
	t.Parallel()
	const sockets, sse, grace = 500, 50, time.Second
	f := newFleet(t)
	leaving, staying := f.replica(t, "--drain-grace", grace.String()), f.replica(t)
	f.put(t, "peer", leaving, staying)
	var streams []*fleettest.Stream
	for range sockets {
		streams = append(streams, fleettest.Open(t, fleettest.CheckPath("wf-peer"), func(attempt int) string {
			return []string{leaving.URL, staying.URL}[min(attempt, 1)]
		}))
	}
	var events []*fleettest.Events
	for range sse {
		events = append(events, fleettest.OpenEvents(t, leaving.URL+fleettest.CheckPath("wf-peer")))
	}
	f.asked(t, "peer")
	f.peers.PublishAll(t, "peer")
	fleettest.Current(t, streams, f.peers.Levels())
	for _, e := range events {
		<-e.First
	}
	begin := time.Now()
	if err := leaving.Drain(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "not ready, first of all", func() bool {
		return fleettest.Get(t.Context(), leaving.URL+"/readyz").Status == http.StatusServiceUnavailable
	})
	if n := closes(streams)[websocket.StatusServiceRestart]; n > 0 && time.Since(begin) < grace {
		t.Errorf("%d streams were closed within the grace", n)
	}
	if err := leaving.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}
	if took := time.Since(begin); took > grace+15*time.Second {
		t.Errorf("the drain took %v", took)
	}
	for _, e := range events {
		if err := <-e.Ended; err != nil {
			t.Errorf("server-sent events ended with %v", err)
		}
	}
	f.peers.PublishAll(t, "peer")
	fleettest.Current(t, streams, f.peers.Levels())
	if got := closes(streams); len(got) != 1 || got[websocket.StatusServiceRestart] != sockets {
		t.Errorf("closes by code: %v, want %d × 1012", got, sockets)
	}
	var slowest time.Duration
	for _, s := range streams {
		slowest = max(slowest, slices.Max(s.Returns()))
	}
	t.Logf("drained in %v; the slowest client was served again after %v", time.Since(begin), slowest)
	if requests, closed := fleettest.Counts(t, f.js, "peer"); requests["peer"] != 1 || closed["peer"] != 0 {
		t.Errorf("requests %v, closes %v", requests, closed)
	}
}

// TestAFlappingLinkLeavesNothingBehind breaks a replica's connection to NATS fifty times.
func TestAFlappingLinkLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	link := natstest.StartProxy(t, f.server.Addr())
	r := itself().Start(t, "--nats-url", link.URL())
	f.put(t, "peer", r)
	streams := []*fleettest.Stream{f.open(t, "peer", r)}
	f.peers.PublishAll(t, "peer")
	fleettest.Current(t, streams, f.peers.Levels())
	fleettest.Agree(t, f.js, r.URL)
	consumers, goroutines := f.consumers(t), running(t, r)
	for i := range 50 { // now and then when all is set up again, else in the middle of that
		fleettest.Until(t, "a link", func() string {
			if ready := fleettest.Get(t.Context(), r.URL+"/readyz"); link.Links() == 0 || i%4 == 0 && ready.Status != http.StatusOK {
				return string(ready.Body)
			}
			return ""
		})
		link.Flap()
	}
	f.peers.PublishAll(t, "peer")
	fleettest.Current(t, streams, f.peers.Levels())
	fleettest.Agree(t, f.js, r.URL)
	if got := f.consumers(t); got > consumers+5 { // of sessions that ended while they began
		t.Errorf("%d consumers, %d before", got, consumers)
	}
	var got int
	fleettest.Until(t, "no more goroutines than before", func() string {
		if got = running(t, r); got > goroutines+2 { // connections of this test
			return fmt.Sprintf("%d, before %d", got, goroutines)
		}
		return ""
	})
	t.Logf("consumers %d → %d, goroutines %d → %d", consumers, f.consumers(t), goroutines, got)
	if c := closes(streams); len(c) > 0 {
		t.Errorf("the stream was closed: %v", c)
	}
}

func (f *fleet) consumers(t *testing.T) (n int) {
	t.Helper()
	streams := f.js.ListStreams(t.Context())
	for info := range streams.Info() {
		n += info.State.Consumers
	}
	if err := streams.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

var goroutinesMetric = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// running is how many goroutines a replica has.
func running(t *testing.T, r *fleettest.Replica) int {
	t.Helper()
	found := goroutinesMetric.FindSubmatch(fleettest.Get(t.Context(), r.URL+"/metrics").Body)
	if found == nil {
		t.Fatal("no go_goroutines in the metrics")
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
