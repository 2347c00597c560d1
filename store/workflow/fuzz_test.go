package workflow_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/store/workflow"
)

func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob(fixtures + "/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(digested))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := workflow.Decode(data)
		if err != nil {
			var list fault.List
			if !errors.As(err, &list) || len(list) == 0 || len(list) > fault.MaxListed+1 || w != nil {
				t.Fatalf("error %v with %v", err, w)
			}
			return
		}
		if !json.Valid(data) {
			t.Error("accepted what is no JSON")
		}
		again, err := workflow.Decode(data)
		if err != nil || again.Digest() != w.Digest() {
			t.Errorf("decoding twice differs: %v", err)
		}
		checkValid(t, w)
	})
}

func checkValid(t *testing.T, w *workflow.Workflow) {
	t.Helper()
	ids := append([]string{w.ID()}, w.Peers()...)
	for i, n := range w.Needs() {
		ids = append(ids, n.ItemID, n.ResourceID, n.PeerID)
		if i > 0 && w.Needs()[i-1].ItemID >= n.ItemID {
			t.Errorf("needs out of order at %q", n.ItemID)
		}
		if n.Whole && n.Demand != nil || n.Kind != workflow.Compute && n.Kind != workflow.Storage {
			t.Errorf("need %+v", n)
		}
		for _, q := range n.Demand {
			if q.Amount <= 0 {
				t.Errorf("demand %+v", q)
			}
		}
	}
	ids = append(ids, checkSteps(t, w)...)
	for _, s := range ids {
		if err := id.Check(s); err != nil {
			t.Error(err)
		}
	}
	if d, lasts := w.Duration(); d < 0 || d > 0 && !lasts {
		t.Errorf("duration %d, %v", d, lasts)
	}
}

// checkSteps returns the ids that the steps name.
func checkSteps(t *testing.T, w *workflow.Workflow) (ids []string) {
	t.Helper()
	needs, done := map[string]workflow.Kind{}, map[string]bool{}
	for _, n := range w.Needs() {
		needs[n.ItemID] = n.Kind
	}
	for i, s := range w.Steps() {
		ids = append(ids, s.ItemID)
		for _, before := range s.After {
			if !done[before] {
				t.Errorf("%q comes before %q, which leads to it", s.ItemID, before)
			}
		}
		done[s.ItemID] = true
		if i > 0 && w.Steps()[i-1].Start > s.Start || s.End < s.Start {
			t.Errorf("%q lasts from %d to %d", s.ItemID, s.Start, s.End)
		}
		for _, on := range s.On {
			if needs[on] != workflow.Compute || !slices.Contains(s.Uses, on) {
				t.Errorf("%q is executed on %q", s.ItemID, on)
			}
		}
		if len(s.Command) > 0 && (len(s.On) == 0 || s.Command[0] == "") || s.Retries < 0 || s.Retries > 10 {
			t.Errorf("%q can't be executed: %q, %d", s.ItemID, s.Command, s.Retries)
		}
		for name, value := range s.Env {
			if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
				t.Errorf("%q is no variable, or %q no value of one", name, value)
			}
		}
	}
	return ids
}
