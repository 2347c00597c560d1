//go:build compose

package deploy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// everySo is the pause between two runs that are started, each of which takes about as long.
const everySo = 500 * time.Millisecond

// pipeline needs so little that there is always room for it, for so long that no outage outlasts its window.
const pipeline = `{"id": "wf-runs", "graph": {"links": [{"source": "step", "destination": "on"}], "items": {
  "step": {"processing": {"command": ["sleep", "0.2"], "duration_s": 240}},
  "on": {"compute": {"id": "gpu-cluster", "peer_id": "demo-north", "demand": {"gpus": 0.01}}}}}}`

// starter starts runs through the balancer, one after the other, whatever breaks.
type starter struct {
	*stack
	stop context.CancelFunc
	done sync.WaitGroup

	keys int      // requests, each repeated until it is answered
	ids  []string // of the runs that answered them
	hard int      // requests that had to be repeated
}

func startRuns(s *stack) *starter {
	s.t.Helper()
	s.eventually("the workflow that runs is stored", func() bool {
		status, _, _ := s.do(http.MethodPut, s.balancer+"/oc/wf-runs", []byte(pipeline))
		return status == http.StatusCreated || status == http.StatusOK
	})
	ctx, stop := context.WithCancel(s.t.Context())
	r := &starter{stack: s, stop: stop}
	s.t.Cleanup(func() { stop(); r.done.Wait() })
	r.done.Go(func() {
		for pause := time.NewTicker(everySo); ctx.Err() == nil; {
			r.one()
			select {
			case <-pause.C:
			case <-ctx.Done():
				pause.Stop()
			}
		}
	})
	return r
}

// one starts a run: asked for with one key it is one run, however often it has to be asked for.
func (r *starter) one() {
	r.keys++
	for attempt := 0; r.t.Context().Err() == nil; attempt++ {
		status, body := r.order(fmt.Sprint("run-", r.keys))
		var made struct{ ID string }
		switch {
		case status == http.StatusCreated && json.Unmarshal(body, &made) == nil:
			r.ids = append(r.ids, made.ID)
			if attempt > 0 {
				r.hard++
			}
			return
		case status == http.StatusUnprocessableEntity || status == http.StatusNotFound:
			r.t.Errorf("run %d: %d %s", r.keys, status, body)
			return
		}
		select {
		case <-r.t.Context().Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (r *starter) order(key string) (status int, body []byte) {
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.balancer+"/oc/wf-runs/runs", strings.NewReader(`{"wait_s": 5}`))
	if err != nil {
		return 0, nil
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	status, _, body = r.send(req)
	return status, body
}

// runsHeld ends the starting, and holds that each request has led to one run, which was executed once and completed.
func (f *fleet) runsHeld(r *starter) {
	f.t.Helper()
	r.stop()
	r.done.Wait()
	ids := map[string]bool{}
	for _, id := range r.ids {
		ids[id] = true
	}
	if len(ids) != r.keys {
		f.t.Errorf("%d requests were answered with %d runs", r.keys, len(ids))
	}
	listed := f.listed("wf-runs")
	for id := range listed {
		if !ids[id] {
			f.t.Errorf("run %s answers no request", id)
		}
	}
	for id := range ids {
		var run struct {
			State, Reason string
			Steps         []struct{ Executions []json.RawMessage }
		}
		f.eventually("run "+id+" is over", func() bool {
			status, _, body := f.get(f.balancer + "/runs/" + id)
			return status == http.StatusOK && json.Unmarshal(body, &run) == nil && run.State != "scheduled" && run.State != "starting" && run.State != "running"
		})
		if run.State != "completed" || len(run.Steps) != 1 || len(run.Steps[0].Executions) != 1 {
			f.t.Errorf("run %s: %+v", id, run)
		}
	}
	f.say("%d runs were started through the balancer all the while, %d of them asked for more than once: each ran once, and completed", len(ids), r.hard)
}

// listed are the runs of a workflow.
func (f *fleet) listed(workflowID string) map[string]bool {
	f.t.Helper()
	all := map[string]bool{}
	for cursor := ""; ; {
		var page struct {
			Items []struct{ ID string }
			Next  string `json:"next_cursor"`
		}
		f.eventually("runs are listed", func() bool {
			status, _, body := f.get(f.balancer + "/runs?limit=500&workflow=" + workflowID + "&cursor=" + cursor)
			return status == http.StatusOK && json.Unmarshal(body, &page) == nil
		})
		for _, item := range page.Items {
			all[item.ID] = true
		}
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}
