package run_test

import (
	"time"

	"oc-scheduler/store/run"
)

// checkTurn checks what holds of every turn.
func checkTurn(t tester, before, r run.Record, out run.Outcome, at time.Time) {
	t.Helper()
	if before.State.Final() && (r.State != before.State || r.Reason != before.Reason || len(out.History) > 0) {
		t.Fatalf("what was %s is %s, %v", before.State, r.State, out.History)
	}
	if !out.Due.IsZero() && !out.Due.After(at) && r.State != run.Scheduled {
		t.Fatalf("at %v it looks again at %v", at, out.Due)
	}
	if !out.Changed && (len(out.Start) > 0 || len(out.Stop) > 0 || len(out.Free) > 0 || len(out.History) > 0) {
		t.Fatalf("nothing has changed, but %+v", out)
	}
	last := map[string]run.State{}
	for i, it := range r.Work.Log {
		of := string(it.Kind) + it.ItemID
		if it.Seq != i+1 || it.From != last[of] || !run.Follows(it.Kind, it.From, it.To) || i > 0 && it.At.Before(r.Work.Log[i-1].At) {
			t.Fatalf("history at %d: %+v after %q", i, it, last[of])
		}
		last[of] = it.To
	}
	if last["run"] != r.State {
		t.Fatalf("history ends with %s, the run is %s", last["run"], r.State)
	}
	for _, s := range r.Steps {
		if last["step"+s.ItemID] != s.State || r.State.Final() && !s.State.Final() {
			t.Fatalf("the run is %s, step %s %s, in its history %s", r.State, s.ItemID, s.State, last["step"+s.ItemID])
		}
	}
}
