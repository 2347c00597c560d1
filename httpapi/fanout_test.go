package httpapi_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/access"
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

func workflowsOf(t testing.TB, ids ...string) workflows {
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

func (workflows) Hidden(*access.Subject, []string) []string { return nil }

func (all workflows) Workflow(id string) (*workflow.Workflow, bool) {
	w, ok := all.byID[id]
	return w, ok
}

// swinging is a state whose planner of peer p is one of two.
type swinging struct {
	workflows
	planners [2]*planner.Planner
	swings   atomic.Int64
}

func (s *swinging) Planner(string) (*planner.Planner, time.Time, bool) {
	n := s.swings.Load()
	return s.planners[n%2], time.Unix(1+n, 0), true
}

// BenchmarkFanout is one change of a planner told to a hundred WebSockets that ask the same.
func BenchmarkFanout(b *testing.B) {
	const clients = 100
	s := newBareSite(b, defaults)
	state := &swinging{workflows: workflowsOf(b, "p")}
	for i := range state.planners {
		p, err := planner.Decode(fmt.Appendf(nil, `{"peer_id":"p","generated_at":"2026-12-01T00:00:00Z","capacities":{"r":{"i":{"cores":%d}}}}`, i), nil)
		if err != nil {
			b.Fatal(err)
		}
		state.planners[i] = p
	}
	s.Attach(httpapi.Parts{Checks: check.NewService(state, state, state, nil, time.Now)})
	told := make(chan error, clients)
	for range clients {
		conn := s.dialRaw(b, "/oc/p/check"+inDecember, nil)
		if err := conn.SetDeadline(time.Time{}); err != nil {
			b.Fatal(err)
		}
		go func() {
			for frame := make([]byte, 64<<10); ; {
				err := conn.skip(frame)
				if told <- err; err != nil {
					return
				}
			}
		}()
	}
	hear := func() {
		for range clients {
			if err := <-told; err != nil {
				b.Fatal(err)
			}
		}
	}
	hear()
	b.ReportAllocs()
	for b.Loop() {
		state.swings.Add(1)
		state.PlannerChanged("p")
		hear()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*clients), "ns/frame")
}

// skip reads a frame into a buffer.
func (r rawSocket) skip(frame []byte) error {
	if _, err := io.ReadFull(r.Reader, frame[:4]); err != nil {
		return err
	}
	_, err := io.ReadFull(r.Reader, frame[:binary.BigEndian.Uint16(frame[2:])])
	return err
}
