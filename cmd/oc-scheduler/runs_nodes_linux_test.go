//go:build long

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/history"
	runs "oc-scheduler/store/run"
)

// shNode is a node in a process of its own, which runs sh and has one resource, and is soon missed.
func (s *site) shNode(t *testing.T, nodeID, resource string) (kill func()) {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "peer.yaml")
	text := fmt.Sprintf("peer_id: site\nnode_id: %s\ndata_dir: %s\nresources: {%s: {i0: {gpus: 4}}}\n"+
		"executor: {type: process, commands: [sh]}\nheartbeat: {interval: 500ms, misses: 4}\n", nodeID, filepath.Join(dir, "data"), resource)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kill = s.nodeProcess(t, config)
	eventually(t, nodeID+" is connected", func() bool { return strings.Contains(s.ask(t, "nodes", nodeID).stdout, "connected") })
	return kill
}

// runOf is a schedule's run, once there is one.
func (s *site) runOf(t *testing.T, scheduleID string) (r runs.Run) {
	t.Helper()
	eventually(t, "its run", func() bool {
		var list []runs.Run
		got := s.ask(t, "runs", "--schedule", scheduleID, "-o", "json")
		if json.Unmarshal([]byte(got.stdout), &list) != nil || len(list) != 1 {
			return false
		}
		return json.Unmarshal([]byte(s.ask(t, "runs", list[0].ID, "-o", "json").stdout), &r) == nil && r.ID != ""
	})
	return r
}

// TestAWorkflowOnTwoNodes runs twice, as it was booked: once a step is cancelled, once the node of a step dies. Every replica
// tells the same of it, and it is right.
func TestAWorkflowOnTwoNodes(t *testing.T) {
	t.Parallel()
	s := startSite(t, "--node-grace", "1s")
	other := itself().Start(t, "--nats-url", s.bus.ConnectedUrl(), "--node-grace", "1s").URL
	s.shNode(t, "n1", "gpu")
	die := s.shNode(t, "n2", "fpga")
	s.publishWorkflow(t, []byte(`{"id":"three","graph":{"items":{
		"first":{"processing":{"command":["sh","-c","echo one"],"duration_s":10}},
		"second":{"processing":{"command":["sh","-c","echo two; exec sleep 600"],"duration_s":600}},
		"third":{"processing":{"command":["sh","-c","echo three"],"duration_s":1}},
		"c1":{"compute":{"id":"gpu","peer_id":"site","demand":{"gpus":1}}},"c2":{"compute":{"id":"fpga","peer_id":"site","demand":{"gpus":1}}}},
		"links":[{"source":"first","destination":"second"},{"source":"second","destination":"third"},
			{"source":"first","destination":"c1"},{"source":"second","destination":"c2"},{"source":"third","destination":"c1"}]}}`))
	eventually(t, "the workflow and both nodes are known", func() bool {
		planner := s.ask(t, "planners", "site").stdout
		return strings.Contains(s.ask(t, "workflows").stdout, "three") && strings.Contains(planner, "gpu") && strings.Contains(planner, "fpga")
	})
	start := time.Now().Add(5 * time.Second).UTC().Truncate(time.Second)
	var booked []string
	for range 2 {
		booked = append(booked, idIn(t, s.ask(t, "schedule", "three", "--start", start.Format(time.RFC3339), "-o", "json")))
	}
	second := map[string]string{} // by schedule: the execution of the second step
	for _, id := range booked {
		eventually(t, "the second step runs", func() bool {
			r := s.runOf(t, id)
			if r.Steps[1].State != runs.Running {
				return false
			}
			second[id] = r.Steps[1].Executions[0].ExecutionID
			if r.StartedAt.Before(start) || r.LateS == nil || r.Steps[0].State != runs.Completed {
				t.Errorf("%+v, booked for %v", r, start)
			}
			return true
		})
	}
	followed := s.follow(t, "logs", "-f", second[booked[0]])
	eventually(t, "the output is followed", func() bool { return followed.shown() == "two\n" })
	s.says(t, exitOK, "cancel "+second[booked[0]], second[booked[0]])
	if got := <-followed.end; got.code != exitOK || got.stdout != "two\n" {
		t.Errorf("followed: %+v", got)
	}
	cancelled := s.sameEverywhere(t, other, booked[0], runs.Cancelled)
	die()
	lost := s.sameEverywhere(t, other, booked[1], runs.Failed)
	for _, of := range []struct {
		run    runs.Run
		reason string
		states [3]runs.State
	}{
		{cancelled, "cancelled: step second: ", [3]runs.State{runs.Completed, runs.Cancelled, runs.Cancelled}},
		{lost, "node lost: step second: on n2: ", [3]runs.State{runs.Completed, runs.Failed, runs.Cancelled}},
	} {
		r, states := of.run, [3]runs.State{of.run.Steps[0].State, of.run.Steps[1].State, of.run.Steps[2].State}
		if states != of.states || !strings.HasPrefix(r.Reason, of.reason) || len(r.Steps[2].Executions) != 0 || r.Steps[1].Executions[0].NodeID != "n2" {
			t.Errorf("%v %s: %+v", states, r.Reason, r)
		}
	}
}

// sameEverywhere waits until a schedule's run has ended so, and every replica tells the same of it: its history leads from
// state to state.
func (s *site) sameEverywhere(t *testing.T, other, scheduleID string, want runs.State) (r runs.Run) {
	t.Helper()
	eventually(t, "the run is "+string(want), func() bool {
		r = s.runOf(t, scheduleID)
		return r.State == want
	})
	told := func(url string, args ...string) string {
		got := invoke(t, map[string]string{"OC_SERVER": url}, args...)
		if got.code != exitOK {
			t.Fatalf("%v: %+v", args, got)
		}
		return got.stdout
	}
	eventually(t, "all tell the same", func() bool {
		for _, args := range [][]string{{"runs", r.ID, "-o", "json"}, {"history", r.ID, "-o", "json"}, {"executions", "-o", "json"}} {
			if told(s.url, args...) != told(other, args...) {
				return false
			}
		}
		return strings.Contains(told(other, "history", r.ID, "-o", "json"), `"to": "`+string(want)+`"`)
	})
	var log history.Log
	if err := json.Unmarshal([]byte(told(other, "history", r.ID, "-o", "json")), &log); err != nil {
		t.Fatal(err)
	}
	at := map[string]string{}
	for i, it := range log {
		of := string(it.Kind) + it.ItemID
		if before, known := at[of]; it.Seq != i+1 || known && before != it.From || it.From == it.To {
			t.Errorf("%s was %s: %+v", of, before, it)
		}
		at[of] = it.To
	}
	for _, step := range r.Steps {
		if got := at[string(history.OfStep)+step.ItemID]; got != string(step.State) {
			t.Errorf("the history leaves step %s %s, it is %s", step.ItemID, got, step.State)
		}
	}
	if got := at[string(history.OfRun)]; got != string(want) {
		t.Errorf("the history leaves it %s", got)
	}
	return r
}
