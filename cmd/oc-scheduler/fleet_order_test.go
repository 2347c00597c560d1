//go:build long

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"oc-scheduler/events"
	"oc-scheduler/internal/fleettest"
)

// TestTheNewestPlannerWinsEverywhere floods a fleet of three with planners in any order: 64 writers
// on one peer's key, and 20 000 events all told. Each replica handles what the bus gives it.
func TestTheNewestPlannerWinsEverywhere(t *testing.T) {
	t.Parallel()
	const peers, versions, writers = 40, 500, 64
	f := newFleet(t)
	fleet := []*fleettest.Replica{f.replica(t), f.replica(t), f.replica(t)}
	levels := map[string]int{}
	var streams []*fleettest.Stream
	for i := range peers {
		peer := peerName(i)
		f.put(t, peer, fleet...)
		levels[peer] = versions
		streams = append(streams, f.open(t, peer, fleet[i%len(fleet)]))
	}

	shuffled := rand.Perm(peers * versions) // those of the first peer come first, from all writers at once
	slices.SortStableFunc(shuffled, func(a, b int) int { return min(a%peers, 1) - min(b%peers, 1) })
	base := time.Now().Add(-time.Hour)
	queue := make(chan int)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for i := range queue {
				version := 1 + i/peers
				data, err := fleettest.Event(fleettest.Planner(peerName(i%peers), base.Add(time.Duration(version)*time.Second), version))
				if err == nil {
					_, err = f.js.Publish(t.Context(), events.Propagation, data)
				}
				if err != nil {
					t.Errorf("publishing: %v", err)
				}
			}
		})
	}
	begin := time.Now()
	for _, i := range shuffled {
		queue <- i
	}
	close(queue)
	wg.Wait()
	published := time.Since(begin)
	fleettest.Until(t, "the bus is read", func() string { return f.unread(t) })
	t.Logf("%d events published in %v, read after %v", peers*versions, published, time.Since(begin))
	fleettest.Current(t, streams, levels)
	fleettest.Agree(t, f.js, fleet[0].URL, fleet[1].URL, fleet[2].URL)
}

func peerName(i int) string { return fmt.Sprintf("peer-%d", i) }

// unread says how much of the bus the fleet has not handled yet.
func (f *fleet) unread(t *testing.T) string {
	t.Helper()
	cons, err := f.js.Consumer(t.Context(), events.Stream, events.Durable)
	if err != nil {
		return err.Error()
	}
	if info := cons.CachedInfo(); info.NumPending > 0 || info.NumAckPending > 0 {
		return fmt.Sprintf("%d to be delivered, %d not acknowledged", info.NumPending, info.NumAckPending)
	}
	return ""
}
