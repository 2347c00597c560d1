//go:build compose

package deploy_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const (
	sites     = 6  // peers, each with a workflow that needs it
	perSite   = 15 // streams on each workflow
	leaveSoon = 2  // sites whose streams end before anything breaks
)

// TestCompose brings the fleet of docker-compose.yml up, uses it, breaks it, and checks after each
// step what must hold: streams come back by themselves, all show the newest planners, every replica
// knows what the bucket holds, and what is to be said once is said once.
func TestCompose(t *testing.T) {
	began := time.Now()
	s := startStack(t)
	f := &fleet{stack: s, watchers: map[string][]*watcher{}}
	f.say("up %v after the start", f.eventually("every replica and the balancer are ready", func() bool {
		return !slices.ContainsFunc(f.doors(), func(url string) bool { return !s.answers(url + "/readyz") })
	}).Round(time.Second))
	f.operator, f.discovery = startOperator(s), startDiscovery(s)

	f.strangers()
	f.administer()
	f.people()
	f.confined()
	f.demoIsLive()
	runs := startRuns(s)
	f.openStreams()
	f.publish("all is well")
	f.someLeave()
	f.replicaKilled()
	f.nodeKilled()
	f.allReturn()
	f.replicaDrained()
	f.natsAway()
	f.deadAreForgotten()
	f.peerRefused()
	f.runsHeld(runs)
	f.allLeave()
	f.say("all was tried in %v", time.Since(began).Round(time.Second))
}

func (f *fleet) demoIsLive() {
	f.t.Helper()
	w := watch(f.t.Context(), f.balancer+"/oc/demo-align/check?duration=1h", f.token)
	defer w.leave()
	f.say("demo peers live: their answer changed after %v", f.eventually("the demo's answer changes", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.versions) > 2 && w.newest != nil && len(w.newest.Missing) == 0
	}).Round(time.Second))
}

// openStreams stores the workflows and opens the streams; the requests for planners are answered.
func (f *fleet) openStreams() {
	f.t.Helper()
	f.discovery.next() // generation 1, for whoever asks
	for i := range sites {
		site := fmt.Sprint("site-", i)
		workflow := fmt.Appendf(nil, `{"id":"wf-%s","graph":{"items":{"n":{"compute":{"id":"cluster","peer_id":%q,"demand":{"cpu_cores":8}}}}}}`, site, site)
		if status, _, body := f.do(http.MethodPut, f.balancer+"/oc/wf-"+site, workflow); status != http.StatusCreated {
			f.t.Fatalf("PUT %s: %d %s", site, status, body)
		}
		for range perSite {
			w := watch(f.t.Context(), fmt.Sprintf("%s/oc/wf-%s/check?start=%s&duration=1h", f.balancer, site, opening.Format(time.RFC3339)), f.token)
			f.watchers[site] = append(f.watchers[site], w)
			f.t.Cleanup(w.leave)
		}
	}
	took := f.current()
	spread := map[string]int{}
	for _, r := range replicas {
		if spread[r] = f.open(r); spread[r] == 0 {
			f.t.Errorf("%s has none of the streams", r)
		}
	}
	f.say("%d streams on %d workflows opened and answered in %.1fs, spread as %v", sites*perSite, sites, took.Seconds(), spread)
}

func (f *fleet) someLeave() {
	f.t.Helper()
	left := map[string]bool{}
	for i := range leaveSoon {
		site := fmt.Sprint("site-", i)
		left[site] = true
		for _, w := range f.watchers[site] {
			w.stop() // all at once, on all replicas
		}
		for _, w := range f.watchers[site] {
			<-w.done
		}
		delete(f.watchers, site)
	}
	f.closed(func(site string) int {
		if left[site] {
			return 1
		}
		return 0
	})
}

func (f *fleet) allLeave() {
	f.t.Helper()
	for _, w := range f.all() {
		w.stop()
	}
	for _, w := range f.all() {
		<-w.done
	}
	f.closed(func(string) int { return 1 })
	f.eventually("no planner of the test is left", func() bool {
		for _, r := range replicas {
			known := f.planners(f.replica[r])
			if known == nil || slices.ContainsFunc(slices.Collect(maps.Keys(known)), func(p string) bool { return strings.HasPrefix(p, "site-") }) {
				return false
			}
		}
		return true
	})
	if n := endings(f.all())[websocket.StatusInternalError]; n > 0 {
		f.t.Errorf("%d streams were closed with 1011", n)
	}
}
