package run_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// underWay is a run in the middle of things.
func underWay(t tester) *story {
	w := decode(t, command("a", `"duration_s":10,"env":{"A":"b"},"retries":2`)+","+command("b", `"duration_s":50`)+","+step("c", `"duration_s":60`)+","+compute("m", "n"),
		"a>b", "a>m", "b>n")
	s := begin(t, w, 60).on(0.004, run.Due{}).told(1, "a", "m", execution.Running).told(2, "a", "m", execution.Failed, 3)
	return s.due(4).told(5, "a", "m", execution.Completed, 0).due(10).told(11, "b", "n", execution.Running)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*story{
		"scheduled": begin(t, decode(t, command("a", `"duration_s":10`)+","+compute("m"), "a>m"), 10),
		"running":   underWay(t),
		"failed":    underWay(t).told(20, "b", "n", execution.Failed, 1),
		"cancelled": underWay(t).on(20, run.Cancel{By: "token:u", Reason: "wrong input"}).told(21, "b", "n", execution.Cancelled),
	} {
		got, err := json.MarshalIndent(s.r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden := "testdata/" + name + ".golden"
		if *update {
			if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(got, '\n'), want) {
			t.Errorf("%s: got\n%s", name, got)
		}
		if back, err := run.Decode(want); err != nil || told(back) != told(s.r) {
			t.Errorf("%s reads back as %+v, %v", name, back, err)
		}
	}
}

func TestBrokenRecords(t *testing.T) {
	t.Parallel()
	good, err := json.Marshal(underWay(t).r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Decode(good); err != nil {
		t.Fatal(err)
	}
	for old, broken := range map[string]string{
		`"id":"r-1"`: `"id":""`, `"state":"running","reason":"","created_at"`: `"state":"odd","reason":"","created_at"`,
		`"item_id":"b","state":"running"`: `"item_id":"b","state":""`, `"on":"n","at":0`: `"on":"n","at":1`, `"on":"m","at":1`: `"on":"x","at":1`,
		`"tasks":[{`: `"tasks":[{},{`, `{`: `[`,
	} {
		if !strings.Contains(string(good), old) {
			t.Fatalf("%s is not in %s", old, good)
		}
		if _, err := run.Decode([]byte(strings.Replace(string(good), old, broken, 1))); !errors.Is(err, run.ErrBroken) {
			t.Errorf("%s: %v", broken, err)
		}
	}
}

// FuzzDecode: what is read as a record can be gone on with, whatever happens.
func FuzzDecode(f *testing.F) {
	for _, s := range []*story{underWay(f), begin(f, decode(f, compute("n")), 60)} {
		data, err := json.Marshal(s.r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := run.Decode(data)
		if err != nil {
			return
		}
		id := ""
		for _, s := range r.Steps {
			for _, x := range s.Executions {
				id = x.ExecutionID
			}
		}
		for _, e := range []run.Event{
			run.Due{},
			run.Executed{ExecutionID: id, State: execution.Running},
			run.NodeSeen{NodeID: "node-m", AsOf: 5, LostAt: noon},
			run.Sent{ExecutionIDs: []string{id}},
			run.Cancel{},
			run.Unsendable{ExecutionID: id},
			run.Unsendable{ExecutionID: id, End: true},
			run.Executed{ExecutionID: id, State: execution.Failed},
			run.Due{},
		} {
			r, _ = run.Advance(r, e, run.Now{At: noon, Grace: grace, Node: func(run.Place) (run.Node, bool) { return run.Node{ID: "x"}, true }})
		}
	})
}

// TestListsPassOverSteps, however many there are: what they tell is what the record does.
func TestListsPassOverSteps(t *testing.T) {
	r := underWay(t).r
	for range 1000 {
		r.Steps, r.Work.Tasks = append(r.Steps, r.Steps[2]), append(r.Work.Tasks, r.Work.Tasks[2])
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := run.DecodeListed(data)
	if err != nil || listed.Steps != nil {
		t.Errorf("%d steps, %v", len(listed.Steps), err)
	}
	whole, err := run.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Steps = nil; told(run.Record{Run: *listed}) != told(run.Record{Run: whole.Run}) {
		t.Errorf("listed is %+v, want %+v", *listed, whole.Run)
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = run.DecodeListed(data) }); n > 100 {
		t.Errorf("%v allocations", n)
	}
	for _, broken := range []string{`{"id":"","state":"running"}`, `{"id":"r-1","state":"odd"}`, `[`} {
		if _, err := run.DecodeListed([]byte(broken)); !errors.Is(err, run.ErrBroken) {
			t.Errorf("%s: %v", broken, err)
		}
	}
}
