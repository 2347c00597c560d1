package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestTheWholeWay: a workflow in, the request for its planners out, planners in, results out,
// capacity taken, the next slot, a planner expired, asked for again, closed when nobody watches.
func TestTheWholeWay(t *testing.T) {
	t.Parallel()
	s := startSite(t, "--planner-ttl", "4s")
	s.publishWorkflow(t, []byte(`{"id":"wf-1","graph":{"items":{
		"n2":{"compute":{"id":"gpu","peer_id":"peer-a","demand":{"cpu_cores":{"x86_64":8}}}},
		"n3":{"storage":{"id":"disk","peer_id":"peer-b","demand":{"storage_gb":100}}}}}}`))
	s.eventuallySaid(t, "peer-a", "PB_PLANNER")
	s.eventuallySaid(t, "peer-b", "PB_PLANNER")

	day := time.Now().UTC().Truncate(24 * time.Hour).Add(48 * time.Hour)
	at := func(hour int) string { return day.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339) }
	ws := s.watch(t, "wf-1", "start="+at(9)+"&duration=1h")
	if r := ws.until("first frame", func(result) bool { return true }); r.Status != "unknown" || len(r.MissingPlanners) != 2 {
		t.Errorf("first frame %+v", r)
	}
	generated := time.Now().UTC().Format(time.RFC3339Nano)
	s.publishPlanner(t, fmt.Appendf(nil, `{"peer_id":"peer-a","generated_at":%q,"capacities":{"gpu":{"i0":{"cpu_cores":{"x86_64":8}}}}}`, generated))
	s.publishPlanner(t, fmt.Appendf(nil, `{"peer_id":"peer-b","generated_at":%q,"capacities":{"disk":{"d0":{"storage_gb":100}}}}`, generated))
	ws.until("room on both", func(r result) bool { return r.Status == "available" && r.Available })

	s.publishPlanner(t, fmt.Appendf(nil, `{"peer_id":"peer-a","generated_at":%q,"capacities":{"gpu":{"i0":{"cpu_cores":{"x86_64":8}}}},
		"schedule":{"gpu":[{"start":%q,"end":%q,"instance_id":"i0","usage":{"cpu_cores":{"x86_64":1}}}]}}`, time.Now().UTC().Format(time.RFC3339Nano), at(8), at(12)))
	taken := ws.until("capacity taken", func(r result) bool { return r.Status == "unavailable" })
	if taken.NextSlot == nil || !taken.NextSlot.Start.Equal(day.Add(12*time.Hour)) || !taken.NextSlot.End.Equal(day.Add(13*time.Hour)) {
		t.Errorf("next slot %+v, want %s", taken.NextSlot, at(12))
	}

	ws.until("expired", func(r result) bool { return len(r.MissingPlanners) == 2 })
	for _, peer := range []string{"peer-a", "peer-b"} {
		s.eventuallySaid(t, peer, "PB_PLANNER PB_CLOSE_PLANNER PB_PLANNER") // the planner before reset the wait
	}
	s.publishPlanner(t, fmt.Appendf(nil, `{"peer_id":"peer-a","generated_at":%q,"capacities":{"gpu":{"i0":{"cpu_cores":{"x86_64":8}}}}}`, time.Now().UTC().Format(time.RFC3339Nano)))
	ws.until("a new life", func(r result) bool { return len(r.MissingPlanners) == 1 })

	if err := ws.conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
	s.eventuallySaid(t, "peer-a", "PB_PLANNER PB_CLOSE_PLANNER PB_PLANNER PB_CLOSE_PLANNER")
	s.eventuallySaid(t, "peer-b", "PB_PLANNER PB_CLOSE_PLANNER PB_PLANNER PB_CLOSE_PLANNER")
}

// TestRealPlanners asks the questions about a real machine whose answers were found by brute force,
// in all the ways there are to ask.
func TestRealPlanners(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	workflow := read(t, "../../testdata/nasa-ipsc/workflow.json")
	for n, tc := range []struct {
		planner, start string
		duration       time.Duration
		nodes          int
		free           string // the least in the window
		next           string
	}{
		{"day", "2026-12-07T09:00:00Z", 5400 * time.Second, 32, "0", "2026-12-07T13:30:21Z"},
		{"day", "2026-12-07T20:00:00Z", 7200 * time.Second, 96, "0", "2026-12-08T02:23:14Z"},
		{"day", "2026-12-07T00:00:00Z", 3600 * time.Second, 64, "0", "2026-12-07T05:42:09Z"},
		{"month", "2026-12-08T09:00:00Z", 1800 * time.Second, 120, "20", "2026-12-08T13:33:25Z"},
		{"month", "2026-12-11T04:00:00Z", 600 * time.Second, 127, "56", "2026-12-11T17:08:50Z"},
		{"week", "2026-12-07T09:00:00Z", 5400 * time.Second, 32, "0", "2026-12-07T13:30:21Z"}, // the week begins with the day
	} {
		// A peer and a workflow for each question, so that none waits for another.
		peer, id := fmt.Sprint("nasa-", n), fmt.Sprint("cfd-", n)
		own := strings.NewReplacer("nasa-ames", peer, "cfd-run", id, `"nodes": 32`, fmt.Sprintf(`"nodes": %d`, tc.nodes))
		s.publishWorkflow(t, []byte(own.Replace(workflow)))
		s.eventuallySaid(t, peer, "PB_PLANNER")
		s.publishPlanner(t, []byte(own.Replace(read(t, "../../testdata/nasa-ipsc/planner-"+tc.planner+".json"))))

		ws := s.watch(t, id, "start="+tc.start+"&duration="+tc.duration.String())
		answers := map[string]result{"WebSocket": ws.until("known", func(r result) bool { return len(r.MissingPlanners) == 0 })}
		answers["POST"] = s.post(t, id, fmt.Sprintf(`{"start":%q,"duration_s":%d}`, tc.start, tc.duration/time.Second))
		for way, r := range answers {
			if r.Status != "unavailable" || r.NextSlot == nil || r.NextSlot.Start.Format(time.RFC3339) != tc.next || r.leastFree() != tc.free {
				t.Errorf("%s, question %d: %s, least free %s, next %+v", way, n, r.Status, r.leastFree(), r.NextSlot)
			}
		}
		cli := invoke(t, nil, "check", id, "--server", s.url, "--start", tc.start, "--duration", tc.duration.String())
		if cli.code != 2 || !strings.Contains(cli.stdout, tc.next) {
			t.Errorf("command line, question %d: %+v", n, cli)
		}
	}
}

// leastFree is the smallest free amount in any conflict.
func (r result) leastFree() string {
	least := ""
	for _, res := range r.Resources {
		for _, c := range res.Conflicts {
			if free := fmt.Sprint(c.Free); least == "" || len(free) < len(least) || len(free) == len(least) && free < least {
				least = free
			}
		}
	}
	return least
}
