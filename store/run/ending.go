package run

import (
	"time"

	"oc-scheduler/store/execution"
)

// end has the run come to an end; of several the first one counts.
func (t *turn) end(to State, reason string) {
	if t.r.Work.Ending == nil {
		t.r.Work.Ending = &Ending{To: to, Reason: reason, By: t.by, Since: t.now}
	}
}

// failStep gives a step up, and with it the run.
func (t *turn) failStep(i int, word Word, sentence string) {
	reason := word.because("step %s: %s", t.r.Steps[i].ItemID, sentence)
	t.moveStep(i, Failed, reason)
	t.end(Failed, reason)
}

// cancelStep ends the run because an execution was cancelled, and not by it.
func (t *turn) cancelStep(i int, sentence string) {
	reason := ByRequest.because("step %s: %s", t.r.Steps[i].ItemID, sentence)
	t.moveStep(i, Cancelled, reason)
	t.end(Cancelled, reason)
}

// wind has all end that runs, of a run that is to end.
func (t *turn) wind() {
	ending := t.r.Work.Ending
	if ending == nil {
		return
	}
	word, sentence := WordOf(ending.Reason)
	for i := range t.r.Steps {
		tries := t.r.Work.Tasks[i].Tries
		for k := range tries {
			tries[k].RetryAt = time.Time{}
			if x := t.present(i, k); !x.State.Final() {
				t.stop(&tries[k], word, sentence)
			}
		}
		if tries == nil && !t.r.Steps[i].State.Final() {
			t.moveStep(i, Cancelled, ending.Reason)
		}
	}
}

// conclude ends what has nothing left to wait for: steps of a run that is to end, and the run.
func (t *turn) conclude() {
	if t.r.State != Starting && t.r.State != Running {
		return
	}
	alive, completed := false, true
	for i := range t.r.Steps {
		if t.r.Work.Ending != nil && !t.r.Steps[i].State.Final() {
			t.concludeStep(i)
		}
		alive = alive || t.alive(i)
		completed = completed && t.r.Steps[i].State == Completed
	}
	ending := t.r.Work.Ending
	switch {
	case alive:
	case completed && (!t.r.Work.Idle || ending == nil && t.reached(t.r.End)):
		t.moveRun(Completed, "")
	case ending != nil:
		by := t.by
		t.by = ending.By
		t.moveRun(ending.To, ending.Reason)
		t.by = by
	}
}

// concludeStep ends a step of a run that is to end, once none of its executions goes on.
func (t *turn) concludeStep(i int) {
	completed := true
	for k := range t.r.Work.Tasks[i].Tries {
		x := t.present(i, k)
		if !x.State.Final() {
			return
		}
		completed = completed && x.State == execution.Completed && !t.r.Work.Tasks[i].Tries[k].Late
	}
	if !completed {
		t.moveStep(i, Cancelled, t.r.Work.Ending.Reason)
		return
	}
	if t.r.Steps[i].State == Waiting {
		t.moveStep(i, Running, "")
	}
	t.moveStep(i, Completed, "")
}

// alive says whether an execution of a step goes on, as far as is known.
func (t *turn) alive(i int) bool {
	for k := range t.r.Work.Tasks[i].Tries {
		if !t.present(i, k).State.Final() {
			return true
		}
	}
	return false
}
