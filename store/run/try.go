package run

import (
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"

	"oc-scheduler/store/digest"
	"oc-scheduler/store/execution"
)

// ExecutionID names an attempt of a step on one of its compute items, the same whoever orders it.
func ExecutionID(runID, stepID, on string, attempt int) string {
	var b []byte
	for _, s := range []string{runID, stepID, on} {
		b = digest.Text(b, s)
	}
	sum := digest.Of(binary.AppendUvarint(b, uint64(attempt)))
	return "x-" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]))
}

// present is the execution that a try is at.
func (t *turn) present(i, k int) *Execution {
	return &t.r.Steps[i].Executions[t.r.Work.Tasks[i].Tries[k].At]
}

// try begins an attempt.
func (t *turn) try(i, k, attempt int, node Node) {
	s, try := &t.r.Steps[i], &t.r.Work.Tasks[i].Tries[k]
	*try = Try{On: try.On, At: len(s.Executions), AskAt: t.now, LostAt: plain(node.LostAt), NodeAsOf: node.AsOf}
	t.wait(try)
	s.Executions = append(s.Executions, Execution{
		ExecutionID: ExecutionID(t.r.ID, s.ItemID, try.On, attempt), NodeID: node.ID,
		Attempt: attempt, State: execution.Ordered,
	})
}

// locate finds the try of an execution; false: there is none, or it is at a later one.
func (t *turn) locate(executionID string) (i, k int, found bool) {
	for i := range t.r.Work.Tasks {
		for k := range t.r.Work.Tasks[i].Tries {
			if t.present(i, k).ExecutionID == executionID {
				return i, k, true
			}
		}
	}
	return 0, 0, false
}

// noteExecution notes what is told of an execution. What was told before, or is older, changes nothing.
func noteExecution(t *turn, what Event) {
	e := what.(Executed)
	i, k, found := t.locate(e.ExecutionID)
	if !found {
		return
	}
	try, x := &t.r.Work.Tasks[i].Tries[k], t.present(i, k)
	if !e.State.Follows(try.Seen) {
		return
	}
	if try.Seen == "" && try.StopAt.IsZero() { // the order has come
		try.AskAt = time.Time{}
	}
	t.noteOrder(i, x.Attempt, e)
	try.Seen = e.State
	switch {
	case e.State.Final():
		try.AskAt, try.WaitTill, try.Given = time.Time{}, time.Time{}, false // nothing is asked of it any more
		x.State, x.ExitCode = e.State, e.ExitCode
		t.noteOver(try, e)
		if try.StopAt.IsZero() && e.State != execution.Completed {
			try.Word, try.Sentence = e.Word, sentence(x, orElse(e.Reason, "it "+string(x.State)))
		}
	case try.Given: // it was given up, and is there after all
		t.stop(try, try.Word, try.Sentence)
		try.AskAt, try.Asked = t.now, 0
	default:
		x.State = e.State
	}
}

// exact is how far apart the clocks of NATS's servers may be for what was ended at a time not to seem to have ended
// by itself before it.
const exact = time.Second

// noteOver finds out whether an execution was over in time: by when it was, however late that is told.
func (t *turn) noteOver(try *Try, e Executed) {
	if e.OverAt.IsZero() {
		return
	}
	end := t.room(try.On).End
	switch {
	case e.State == execution.Completed && e.OverAt.After(end):
		try.Late = true
	case try.Word == OutOfTime && (e.State == execution.Completed || e.OverAt.Before(end.Add(-exact))):
		try.StopAt, try.Word, try.Sentence = time.Time{}, "", ""
	}
}

// noteOrder notes when the first order was stored: of the steps that begin with the run.
func (t *turn) noteOrder(i, attempt int, e Executed) {
	first := &t.r.Work.FirstOrder
	if attempt != 1 || e.OrderedAt.IsZero() || !t.r.Steps[i].Start.Equal(t.r.Start) || !first.IsZero() && !e.OrderedAt.Before(*first) {
		return
	}
	*first = plain(e.OrderedAt)
	t.setLate(*first)
}

// sentence says what became of an execution.
func sentence(x *Execution, what string) string { return "on " + x.NodeID + ": " + what }

// noteSent notes that orders to end executions need not go out again.
func noteSent(t *turn, what Event) {
	for _, executionID := range what.(Sent).ExecutionIDs {
		if i, k, found := t.locate(executionID); found {
			if try := &t.r.Work.Tasks[i].Tries[k]; !try.StopAt.IsZero() {
				try.AskAt = time.Time{}
			}
		}
	}
}

// noteUnsendable gives up an execution that nobody can be told of. One that is to end is given up by what became of
// that order alone: that of its start may be told late, or again, when it runs.
func noteUnsendable(t *turn, what Event) {
	e := what.(Unsendable)
	i, k, found := t.locate(e.ExecutionID)
	if !found {
		return
	}
	try, x := &t.r.Work.Tasks[i].Tries[k], t.present(i, k)
	if toEnd := !try.StopAt.IsZero(); e.End != toEnd {
		return
	}
	if x.State.Final() {
		if try.Given {
			try.AskAt = time.Time{}
		}
		return
	}
	if !try.StopAt.IsZero() {
		t.give(try, x, execution.Cancelled)
		try.AskAt = time.Time{}
		return
	}
	if try.Seen != "" { // it has come all the same
		return
	}
	try.Word, try.Sentence = e.Word, sentence(x, e.Sentence)
	t.give(try, x, execution.Failed)
	try.AskAt = time.Time{}
}

// noteNode notes how the node of executions stands.
func noteNode(t *turn, what Event) {
	e := what.(NodeSeen)
	for i := range t.r.Work.Tasks {
		for k := range t.r.Work.Tasks[i].Tries {
			try, x := &t.r.Work.Tasks[i].Tries[k], t.present(i, k)
			if x.NodeID == e.NodeID && !x.State.Final() && e.AsOf > try.NodeAsOf {
				try.NodeAsOf, try.LostAt = e.AsOf, plain(e.LostAt)
				t.wait(try)
			}
		}
	}
}
