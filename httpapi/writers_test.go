package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams"
	"oc-scheduler/streams/check"
)

// workflows are a state without planners. Each needs a core of the peer of its name.
type workflows struct {
	*streams.Hub
	byID map[string]*workflow.Workflow
}

func workflowsOf(t *testing.T, ids ...string) workflows {
	t.Helper()
	all := workflows{streams.NewHub(nil), map[string]*workflow.Workflow{}}
	for _, id := range ids {
		w, err := workflow.Decode(fmt.Appendf(nil, `{"id":%q,"graph":{"items":{"n":{"compute":{"id":"r","peer_id":%[1]q,"demand":{"cores":1}}}}}}`, id))
		if err != nil {
			t.Fatal(err)
		}
		all.byID[id] = w
	}
	return all
}

func (workflows) Loaded() bool                    { return true }
func (workflows) Watch([]string) (release func()) { return func() {} }

func (workflows) Bookings(string) *planner.Overlay { return nil }

func (all workflows) Workflow(id string) (*workflow.Workflow, bool) {
	w, ok := all.byID[id]
	return w, ok
}

// restless is a state whose planner of peer hot changes with each look, which takes longer than a client to
// read a frame.
type restless struct {
	workflows
	looks atomic.Int64
}

func (r *restless) Planner(peerID string) (*planner.Planner, time.Time, bool) {
	n := int64(1)
	if peerID == "hot" {
		n = r.looks.Add(1)
		defer r.PlannerChanged(peerID)
	}
	var p *planner.Planner
	var err error
	for range 500 {
		p, err = planner.Decode(fmt.Appendf(nil, `{"peer_id":%q,"generated_at":"2026-12-01T00:00:00Z","capacities":{"r":{"i":{"cores":%d}}}}`, peerID, n), nil)
	}
	return p, time.Time{}, err == nil
}

// TestStreamsThatAlwaysHaveMoreToSayLetOthersSpeak: there are more of them than write at once.
func TestStreamsThatAlwaysHaveMoreToSayLetOthersSpeak(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	state := &restless{workflows: workflowsOf(t, "calm", "hot")}
	s.Attach(httpapi.Parts{Checks: check.NewService(state, state, state, nil, time.Now)})

	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for range runtime.GOMAXPROCS(0) + 1 {
		conn := s.dial(t, "/oc/hot/check"+inDecember, nil)
		receive(t, conn)
		all.Go(func() {
			for ctx.Err() == nil {
				if _, _, err := conn.Read(ctx); err != nil {
					return
				}
			}
		})
	}
	for range 3 {
		receive(t, s.dial(t, "/oc/calm/check"+inDecember, nil))
	}
}

// TestClientsThatDoNotReadHoldUpNobody: there are more of them than write at once, each stuck in a frame
// larger than what the kernel keeps, and none is cut while this lasts.
func TestClientsThatDoNotReadHoldUpNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{WriteWithin: 3 * patience})
	items := make([]string, 4000)
	for i := range items {
		items[i] = fmt.Sprintf(`"n%d":{"compute":{"id":"cluster","peer_id":"peer-a","demand":{"cores":1}}}`, i)
	}
	s.do(t, http.MethodPut, "/oc/large", `{"id":"large","graph":{"items":{`+strings.Join(items, ",")+`}}}`).ok(t, http.StatusCreated)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 7)
	good := s.dial(t, "/oc/w/check"+inDecember, nil)
	until(t, good, "unavailable")
	for range 2*runtime.GOMAXPROCS(0) + 1 {
		s.dialDeaf(t, "/oc/large/check"+inDecember)
	}
	for _, change := range []struct {
		free   int
		status string
	}{{64, "available"}, {7, "unavailable"}, {64, "available"}} {
		s.plan(t, "peer-a", change.free)
		until(t, good, change.status)
	}
}
