//go:build compose

package deploy_test

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// fleet is a stack that is used: streams through the balancer, and planners that change.
type fleet struct {
	*stack
	operator  *operator
	discovery *discovery
	watchers  map[string][]*watcher // site → streams
}

// say prints what was found, with a tick as long as all was right.
func (f *fleet) say(format string, args ...any) {
	f.t.Helper()
	mark := "✓ "
	if f.t.Failed() {
		mark = "· "
	}
	_, _ = fmt.Fprintf(f.t.Output(), mark+format+"\n", args...) // a test without output is checked all the same
}

func (f *fleet) doors() []string {
	return append(slices.Collect(maps.Values(f.replica)), f.balancer)
}

// all are the streams that are still wanted.
func (f *fleet) all() []*watcher { return slices.Concat(slices.Collect(maps.Values(f.watchers))...) }

// current waits until every stream shows the newest planners, and returns how long that took.
func (f *fleet) current() time.Duration {
	f.t.Helper()
	f.discovery.mu.Lock()
	want := nextSlot(f.discovery.generation)
	f.discovery.mu.Unlock()
	isCurrent := func(a *answer) bool { return a.NextSlot != nil && a.NextSlot.Start.Equal(want) }
	return f.eventually("every stream is current", func() bool {
		return !slices.ContainsFunc(f.all(), func(w *watcher) bool { return !w.shows(isCurrent) })
	})
}

// publish changes every planner, and holds that every stream and every living replica learns of it.
func (f *fleet) publish(when string, dead ...string) {
	f.t.Helper()
	began := time.Now()
	f.discovery.next()
	stored := time.Since(began)
	f.current()
	took := time.Since(began)
	living := slices.DeleteFunc(slices.Clone(replicas), func(r string) bool { return slices.Contains(dead, r) })
	f.eventually("replicas hold what the bucket holds", func() bool { return f.operator.known(living...) })
	f.say("%s: new planners stored in %.2fs, shown by all %d streams in %.2fs, %d views equal the bucket",
		when, stored.Seconds(), len(f.all()), took.Seconds(), len(living))
}

// closed holds how often the end of each site's planner was told.
func (f *fleet) closed(want func(site string) int) {
	f.t.Helper()
	expected := map[string]int{}
	for i := range sites {
		if site := fmt.Sprint("site-", i); want(site) > 0 {
			expected[site] = want(site)
		}
	}
	f.eventually("every end that is due was told", func() bool {
		said := f.operator.said()["PB_CLOSE_PLANNER"]
		return !slices.ContainsFunc(slices.Collect(maps.Keys(expected)), func(site string) bool { return said[site] < expected[site] })
	})
	said := f.operator.said()
	if !maps.Equal(said["PB_CLOSE_PLANNER"], expected) {
		f.t.Errorf("PB_CLOSE_PLANNER was sent as %v, want %v", said["PB_CLOSE_PLANNER"], expected)
	}
	for i := range sites {
		if site := fmt.Sprint("site-", i); said["PB_PLANNER"][site] != 1 {
			f.t.Errorf("PB_PLANNER was sent %d times for %s, want once", said["PB_PLANNER"][site], site)
		}
	}
	f.say("on the bus: PB_PLANNER once for each of %d peers, PB_CLOSE_PLANNER once for each of the %d that nobody watches", sites, len(expected))
}
