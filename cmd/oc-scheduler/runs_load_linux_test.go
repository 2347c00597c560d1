//go:build long || soak

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer"
	"oc-scheduler/internal/peer/execute"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/store/planner"
	runs "oc-scheduler/store/run"
	"oc-scheduler/streams/nclprotocol"
	nodeledger "oc-scheduler/streams/watcher"
)

// load is runs that fall due at about the same time, on nodes that note in their ledgers what they begin with.
type load struct {
	*crew
	urls []string // of NATS

	dirs  []string // of the nodes
	nodes []func() // stop them
}

func newLoad(t *testing.T, urls []string, copies, replicas, nodes int) *load {
	t.Helper()
	l := &load{urls: urls, crew: newCrew(t, replicas, "--nats-url", strings.Join(urls, ","), "--js-replicas", fmt.Sprint(copies))}
	for i := range nodes {
		l.node(t, i)
	}
	l.workflows(t, "0.1")
	return l
}

// workflows waits for each node, and stores a workflow of a step that sleeps there for so many seconds.
func (l *load) workflows(t *testing.T, sleep string) {
	t.Helper()
	for i := range l.dirs {
		fleettest.Until(t, siteOf(i)+" is connected", func() string {
			a := fleettest.Get(t.Context(), l.any()+"/nodes/"+siteOf(i))
			if !strings.Contains(string(a.Body), `"connected"`) {
				return string(a.Body)
			}
			return ""
		})
		doc := fmt.Sprintf(`{"id":"wf-%d","graph":{"items":{"s":{"processing":{"command":["sleep",%q],"duration_s":600}},
			"c":{"compute":{"id":"gpu","peer_id":%q,"demand":{"gpus":1}}}},"links":[{"source":"s","destination":"c"}]}}`, i, sleep, siteOf(i))
		if a := fleettest.Send(t.Context(), http.MethodPut, fmt.Sprint(l.any(), "/oc/wf-", i), strings.NewReader(doc)); a.Status != http.StatusCreated {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
}

func siteOf(i int) string { return fmt.Sprint("site-", i) }

// node starts a node that sleeps.
func (l *load) node(t *testing.T, i int) {
	t.Helper()
	cfg := peer.Config{
		PeerID: siteOf(i), DataDir: t.TempDir(), Resources: ledger.Capacities{"gpu": {"i0": {"gpus": 10_000 * planner.Unit}}},
		Executor: execute.Config{MaxConcurrent: 64},
	}
	cfg.SetDefaults()
	p, err := peer.New(t.Context(), cfg, nclprotocol.Client{URL: strings.Join(l.urls, ","), NodeID: cfg.NodeID}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l.dirs, l.nodes = append(l.dirs, cfg.DataDir), append(l.nodes, natstest.Run(t, p.Run))
}

// book books n runs, spread over a time from one on.
func (l *load) book(t *testing.T, n int, from time.Time, over time.Duration) {
	t.Helper()
	g, ctx := errgroup.WithContext(t.Context())
	g.SetLimit(16)
	for i := range n {
		g.Go(func() error {
			body := fmt.Sprintf(`{"start":%q,"wait_s":5}`, from.Add(time.Duration(i)*over/time.Duration(n)).UTC().Format(time.RFC3339Nano))
			return l.insist(ctx, i, fmt.Sprintf("/oc/wf-%d/schedules", i%len(l.dirs)), body)
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

// insist books, however busy the replicas are: asked for again under one key it is booked once.
func (l *load) insist(ctx context.Context, i int, path, body string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	key := fmt.Sprintf("schedule %d", i)
	for {
		a := fleettest.SendOnce(ctx, http.MethodPost, l.one(i)+path, key, strings.NewReader(body))
		if a.Status == http.StatusCreated {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %d %s", key, a.Status, a.Body)
		}
	}
}

// listed are all runs, as one replica knows them.
func (l *load) listed(ctx context.Context) (all []runs.Run, err error) {
	for cursor := ""; ; {
		a := fleettest.Get(ctx, l.any()+"/runs?limit=1000&cursor="+cursor)
		var page struct {
			Items      []runs.Run `json:"items"`
			NextCursor string     `json:"next_cursor"`
		}
		if a.Status != http.StatusOK {
			return nil, fmt.Errorf("%d %s", a.Status, a.Body)
		}
		if err := json.Unmarshal(a.Body, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if cursor = page.NextCursor; cursor == "" {
			return all, nil
		}
	}
}

// ended waits until n runs are completed, and says how late they were, in order.
func (l *load) ended(t *testing.T, n int) (late []time.Duration) {
	t.Helper()
	var all []runs.Run
	for lacks := "all"; lacks != ""; {
		lacks = ""
		got, err := l.listed(t.Context())
		open := map[runs.State]int{}
		for _, r := range got {
			if !r.State.Final() {
				open[r.State]++
			}
		}
		if err != nil || len(got) < n || len(open) > 0 {
			lacks = fmt.Sprintf("%d runs, %v, %v", len(got), open, err)
			select {
			case <-t.Context().Done():
				t.Fatal(lacks)
			case <-time.After(250 * time.Millisecond):
			}
		}
		all = got
	}
	if len(all) != n {
		t.Errorf("%d runs of %d", len(all), n)
	}
	for _, r := range all {
		if r.State != runs.Completed || r.LateS == nil {
			t.Errorf("%s is %s: %s", r.ID, r.State, r.Reason)
			continue
		}
		late = append(late, time.Duration(*r.LateS*float64(time.Second)))
	}
	slices.Sort(late)
	return late
}

// audit stops the nodes, and checks in their ledgers that n executions began, each once.
func (l *load) audit(t *testing.T, n int) {
	t.Helper()
	began := map[string]int{}
	for i, stop := range l.nodes {
		stop()
		store, err := nodeledger.OpenBolt(filepath.Join(l.dirs[i], "ledger.db"))
		if err != nil {
			t.Fatal(err)
		}
		for after := uint64(0); ; {
			events, err := store.GetEvents(t.Context(), nodeledger.GetEventsRequest{AfterSeqNum: after})
			if err != nil {
				t.Fatal(err)
			}
			if len(events) == 0 {
				break
			}
			for _, e := range events {
				var c nclprotocol.ExecutionChanged
				if e.ObjectType == nclprotocol.TypeExecutionChanged && json.Unmarshal(e.Object, &c) == nil && c.State == nclprotocol.ExecutionRunning {
					began[c.ExecutionID]++
				}
			}
			after = events[len(events)-1].SeqNum
		}
		if err := store.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for id, times := range began {
		if times != 1 {
			t.Errorf("%s began %d times", id, times)
		}
	}
	if len(began) != n {
		t.Errorf("%d executions began, of %d runs", len(began), n)
	}
}

// tellLateness reports how late runs were, beside how busy the machine was.
func tellLateness(t *testing.T, what string, late []time.Duration) {
	t.Helper()
	if len(late) == 0 {
		return
	}
	at := func(p int) time.Duration {
		return late[min(len(late)*p/100, len(late)-1)].Round(100 * time.Microsecond)
	}
	t.Logf("%s: %d runs, late p50 %v, p90 %v, p99 %v, at most %v; load of the machine %s", what, len(late), at(50), at(90), at(99), at(100), busy())
}

// TestRunsStartOnceWhileReplicasDie, none of them never and none twice.
func TestRunsStartOnceWhileReplicasDie(t *testing.T) {
	t.Parallel()
	const n = 40
	l := newLoad(t, []string{natstest.Start(t).URL()}, 1, 2, 3)
	from := time.Now().Add(2 * time.Second)
	l.book(t, n, from, time.Second)
	eventually(t, "some have begun", func() bool { return l.begun(t) > n/4 })
	l.kill(0)
	tellLateness(t, "one of two replicas is killed", l.ended(t, n))
	l.audit(t, n)
}

// begun is how many runs have begun.
func (l *load) begun(t *testing.T) (n int) {
	t.Helper()
	all, err := l.listed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.State != runs.Scheduled {
			n++
		}
	}
	return n
}

// busy is how busy the machine is.
func busy() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:2], " ")
}
