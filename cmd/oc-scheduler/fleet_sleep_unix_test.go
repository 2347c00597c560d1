//go:build long && unix

package main

import (
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/fleettest"
)

// TestReplicasThatDieOrSleep kills one replica and puts another to sleep for longer than its lease:
// the survivors take both out of the lists and close what nobody else watches, once; the sleeper
// enters its interest again when it wakes.
func TestReplicasThatDieOrSleep(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	doomed, sleepy := f.replica(t, "--replica-id", "doomed"), f.replica(t, "--replica-id", "sleepy")
	survivors := []*fleettest.Replica{f.replica(t), f.replica(t)}
	everybody := append([]*fleettest.Replica{doomed, sleepy}, survivors...)
	for _, id := range []string{"of-doomed", "of-sleepy", "shared"} {
		f.put(t, id, everybody...)
	}
	lost := f.open(t, "of-doomed", doomed)
	asleep := f.open(t, "of-sleepy", sleepy)
	all := []*fleettest.Stream{lost, asleep}
	for _, r := range everybody {
		all = append(all, f.open(t, "shared", r))
	}
	f.asked(t, "of-doomed", "of-sleepy", "shared")
	f.peers.PublishAll(t, "of-doomed", "of-sleepy", "shared")
	fleettest.Current(t, all, f.peers.Levels())
	eventually(t, "the sleeper's interest", func() bool { return f.listed(t, "of-sleepy") == `{"replicas":["sleepy"]}` })
	eventually(t, "the doomed one's interest", func() bool { return f.listed(t, "of-doomed") == `{"replicas":["doomed"]}` })

	doomed.Kill()
	if err := sleepy.Pause(); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	fleettest.Until(t, "both are swept out", func() string {
		return f.listed(t, "of-doomed") + f.listed(t, "of-sleepy")
	})
	t.Logf("swept out after %v", time.Since(begin))
	eventually(t, "their planners are closed", func() bool {
		_, closes := fleettest.Counts(t, f.js, "of-doomed", "of-sleepy")
		return closes["of-doomed"] > 0 && closes["of-sleepy"] > 0
	})
	eventually(t, "both are out of the list of others, too", func() bool {
		got := f.listed(t, "shared")
		return !strings.Contains(got, "doomed") && !strings.Contains(got, "sleepy")
	})

	if err := sleepy.Resume(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its interest is back", func() bool { return f.listed(t, "of-sleepy") == `{"replicas":["sleepy"]}` })
	eventually(t, "it asks again", func() bool {
		requests, _ := fleettest.Counts(t, f.js, "of-sleepy")
		return requests["of-sleepy"] == 2
	})
	f.peers.PublishAll(t, "of-sleepy", "shared")
	fleettest.Current(t, []*fleettest.Stream{asleep}, f.peers.Levels())
	fleettest.Agree(t, f.js, sleepy.URL, survivors[0].URL, survivors[1].URL)
	requests, closes := fleettest.Counts(t, f.js, "of-doomed", "of-sleepy", "shared")
	for peer, want := range map[string][2]int{"of-doomed": {1, 1}, "of-sleepy": {2, 1}, "shared": {1, 0}} {
		if got := [2]int{requests[peer], closes[peer]}; got != want {
			t.Errorf("%s: requests and closes %v, want %v", peer, got, want)
		}
	}
}
