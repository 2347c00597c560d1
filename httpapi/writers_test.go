package httpapi_test

import (
	"context"
	"fmt"
	"runtime"
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

// restless is a state whose planner of peer hot changes with each look, which takes longer than a client to
// read a frame.
type restless struct {
	*streams.Hub
	looks     atomic.Int64
	workflows map[string]*workflow.Workflow
}

func (*restless) Loaded() bool                    { return true }
func (*restless) Watch([]string) (release func()) { return func() {} }

func (r *restless) Workflow(id string) (*workflow.Workflow, bool) {
	w, ok := r.workflows[id]
	return w, ok
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
	state := &restless{Hub: streams.NewHub(nil), workflows: map[string]*workflow.Workflow{}}
	for _, id := range []string{"calm", "hot"} {
		w, err := workflow.Decode(fmt.Appendf(nil, `{"id":%q,"graph":{"items":{"n":{"compute":{"id":"r","peer_id":%[1]q,"demand":{"cores":1}}}}}}`, id))
		if err != nil {
			t.Fatal(err)
		}
		state.workflows[id] = w
	}
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
