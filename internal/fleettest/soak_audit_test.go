//go:build soak && unix

package fleettest_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/internal/fleettest"
)

// tally collects what was seen of each invariant, in the order of its first mention.
type tally struct {
	ghosts     int
	faults     int
	invariants map[string]*invariant
	order      []string
}

type invariant struct {
	checks  int
	worst   time.Duration
	at      string
	limit   time.Duration // 0: only reported
	failed  []string
	isTimed bool
}

func newTally() tally { return tally{invariants: map[string]*invariant{}} }

func (t *tally) of(name string) *invariant {
	i := t.invariants[name]
	if i == nil {
		i = &invariant{}
		t.invariants[name] = i
		t.order = append(t.order, name)
	}
	i.checks++
	return i
}

// judge notes a check that was good or was not.
func (t *tally) judge(name string, good bool, detail string) {
	if i := t.of(name); !good {
		i.failed = append(i.failed, detail)
	}
}

// measure notes a time that has a limit.
func (t *tally) measure(name string, took, limit time.Duration, at string) {
	i := t.of(name)
	i.limit, i.isTimed = limit, true
	if took > i.worst {
		i.worst, i.at = took, at
	}
	if limit > 0 && took > limit {
		i.failed = append(i.failed, fmt.Sprintf("%v: %s", took, at))
	}
}

// current waits until all streams show what the bus took last.
func (w *world) current() {
	w.Helper()
	fleettest.Until(w, "all streams are current", func() string {
		levels := w.peers.Levels()
		for _, s := range w.streams {
			if lacks := s.Lacks(levels); lacks != "" {
				return lacks
			}
		}
		return ""
	})
}

// check is made when nothing is wrong any more.
func (w *world) check(after string, limit time.Duration) {
	w.Helper()
	w.tally.faults++
	w.publishing.Lock()
	defer w.publishing.Unlock()
	begin := time.Now()
	w.peers.PublishAll(w, w.peerIDs...)
	w.current()
	what := "every stream current after a fault has ended"
	if limit == afterPartition {
		what = "every stream current after a partition has ended"
	}
	w.tally.measure(what, time.Since(begin), limit, after)
	begin = time.Now()
	fleettest.Agree(w, w.js, w.every()...)
	w.tally.measure("every replica ready, its views equal to the buckets", time.Since(begin), 0, after)
	w.say("  whole again")
}

// judgeCloses checks that a fault closed streams in no way but its own.
func (w *world) judgeCloses(f fault, before map[websocket.StatusCode]int) {
	w.Helper()
	for code, n := range w.closes() {
		if n > before[code] && !slices.Contains(f.closes, code) {
			w.tally.judge("streams are closed by drains (1012) and deaths alone", false, fmt.Sprintf("%s: %d with %d", f.name, n-before[code], code))
		}
	}
	w.tally.judge("streams are closed by drains (1012) and deaths alone", true, "")
}

// finish ends all streams and waits until the fleet has let go of everything.
func (w *world) finish() {
	w.Helper()
	w.say("the end: all clients leave")
	w.publishing.Lock() // for good: no planner comes back
	w.returns()
	leaving := time.Now()
	for _, s := range w.streams {
		s.Close()
	}
	fleettest.Until(w, "nobody is listed, nothing is cached", func() string {
		for _, bucket := range []string{"interest", "planners"} {
			left, err := fleettest.Values(w.Context(), w.js, bucket)
			if err != nil || len(left) > 0 {
				return fmt.Sprintf("%d in %s, %v", len(left), bucket, err)
			}
		}
		return ""
	})
	fleettest.Agree(w, w.js, w.every()...)
	w.tally.judge("when all have left, no interest and no planner stays", true, "")
	w.auditBus(leaving)
	w.auditGhosts()
	w.auditResources()
	w.publishing.Unlock()
}

// returns looks at how soon clients were served that a drain had sent away.
func (w *world) returns() {
	for _, s := range w.streams {
		for _, d := range s.Returns() {
			w.tally.measure("a client that was closed is served by another replica", d, 2*time.Second, "")
		}
	}
}

// auditBus counts what the fleet said. A planner lives for its TTL, so two closes within that time
// were for one life, but for the last one, when all have left; two requests are at least 10 s apart.
// The server's answer to either may be lost with a node, and then it is said again.
func (w *world) auditBus(leaving time.Time) {
	w.Helper()
	heard, err := fleettest.Heard(w.Context(), w.js)
	if err != nil {
		w.Fatal(err)
	}
	requests, closes, repeats := 0, 0, []string{}
	for _, peer := range w.peerIDs {
		said := heard[peer]
		requests += len(said.Requests)
		closes += len(said.Closes)
		last := slices.IndexFunc(said.Closes, leaving.Before)
		w.tally.judge("a planner is closed once when the last client leaves", last >= 0 && last == len(said.Closes)-1,
			fmt.Sprintf("%s: closes %v, left %v", peer, said.Closes, leaving))
		for what, list := range map[string][]string{
			"requests": said.RequestedAgain(9 * time.Second),
			"closes":   said.ClosedAgain(plannerTTL-5*time.Second, leaving),
		} {
			for _, when := range list {
				repeats = append(repeats, fmt.Sprintf("%s %s %s", peer, what, when))
			}
		}
	}
	w.tally.judge("requests and closes go out once", len(repeats) <= w.tally.faults/10, strings.Join(repeats, "; "))
	w.say("%d requests and %d closes of %d peers, %d said twice: %v", requests, closes, peers, len(repeats), repeats)
}

func (w *world) auditGhosts() {
	w.Helper()
	stored, err := fleettest.Values(w.Context(), w.js, "workflows")
	if err != nil {
		w.Fatal(err)
	}
	for id := range stored {
		w.tally.judge("no ghost writes", !strings.HasPrefix(id, "ghost"), id)
	}
}

var metric = regexp.MustCompile(`(?m)^(go_goroutines|process_resident_memory_bytes|process_open_fds) (\S+)$`)

// auditResources looks for what is left over when nobody is there.
func (w *world) auditResources() {
	w.Helper()
	const each, shared = 13 + 1, 5 // views of a replica, and its reader of node events; and durables of the fleet
	consumers := 0
	fleettest.Until(w, "no consumers are left over", func() string {
		consumers = 0
		list := w.js.ListStreams(w.Context())
		for info := range list.Info() {
			consumers += info.State.Consumers
		}
		if list.Err() != nil || consumers > replicas*each+shared {
			return fmt.Sprintf("%d, %v", consumers, list.Err())
		}
		return ""
	})
	w.tally.judge("no consumers are left over", true, "")
	for _, url := range w.every() {
		a := fleettest.Get(w.Context(), url+"/metrics")
		found := map[string]float64{}
		for _, m := range metric.FindAllStringSubmatch(string(a.Body), -1) {
			found[m[1]], _ = strconv.ParseFloat(m[2], 64)
		}
		w.say("%s: %.0f goroutines, %.0f MiB, %.0f descriptors", url, found["go_goroutines"],
			found["process_resident_memory_bytes"]/(1<<20), found["process_open_fds"])
		w.tally.judge("no goroutines are left over", a.Status == http.StatusOK && found["go_goroutines"] < 250, fmt.Sprint(found))
	}
}

// report prints each invariant, and fails the test for those that did not hold.
func (w *world) report() {
	w.Helper()
	w.Logf("%d faults in %v:", w.tally.faults-1, time.Since(w.begin).Round(time.Second))
	for _, name := range w.tally.order {
		i := w.tally.invariants[name]
		line := fmt.Sprintf("%5d × %s", i.checks, name)
		if i.isTimed {
			line += fmt.Sprintf(": %v at worst", i.worst.Round(time.Millisecond))
		}
		if i.limit > 0 {
			line += fmt.Sprintf(", limit %v", i.limit)
		}
		if i.at != "" {
			line += " (" + i.at + ")"
		}
		if len(i.failed) == 0 {
			w.Logf("holds  %s", line)
			continue
		}
		w.Errorf("BROKEN %s: %d times: %s", line, len(i.failed), strings.Join(i.failed[:min(len(i.failed), 5)], " | "))
	}
}
