package run

import (
	"time"

	"oc-scheduler/store/execution"
)

// punctual is how late the end of a wait may be looked at for the verdict to be given: whoever comes later was away,
// and nobody was there to be told, or to bring what a node told. Then the wait begins anew.
const punctual = 5 * time.Second

// judge has executions end whose time is over, and gives up those of which nobody has told in time: then it is true,
// and something follows.
func (t *turn) judge() (given bool) {
	for i := range t.r.Work.Tasks {
		for k := range t.r.Work.Tasks[i].Tries {
			try, x := &t.r.Work.Tasks[i].Tries[k], t.present(i, k)
			if x.State.Final() {
				continue
			}
			if t.reached(t.room(try.On).End) {
				t.stop(try, OutOfTime, overtime(try, x))
			}
			if t.reached(try.WaitTill) && t.now.After(try.WaitTill.Add(punctual)) {
				try.WaitTill = t.now.Add(t.world.Grace)
			}
			if !t.reached(try.WaitTill) {
				continue
			}
			if try.StopAt.IsZero() {
				t.stop(try, NodeLost, sentence(x, "the node has been lost since "+try.LostAt.Format(time.RFC3339)))
			}
			given = true
			if try.Word == NodeLost {
				t.give(try, x, execution.Failed)
			} else {
				t.give(try, x, execution.Cancelled)
			}
		}
	}
	return given
}

func overtime(try *Try, x *Execution) string { return sentence(x, "the booking of "+try.On+" ended") }

// wait says until when the word of a node is waited for, after it was lost, or told to end an execution. Whether
// something was over in time the node alone can say, so that one that is lost is waited for then, too.
func (t *turn) wait(try *Try) {
	stopped, lost := try.StopAt.Add(t.world.Grace), try.LostAt.Add(t.world.Grace)
	switch {
	case try.StopAt.IsZero() && try.LostAt.IsZero():
		try.WaitTill = time.Time{}
	case try.StopAt.IsZero():
		try.WaitTill = later(t.now, lost)
	case try.LostAt.IsZero():
		try.WaitTill = later(t.now, stopped)
	case try.Word == OutOfTime && lost.Before(stopped):
		try.WaitTill = later(t.now, lost)
	case try.Word == OutOfTime:
		try.WaitTill = later(t.now, stopped)
	default:
		try.WaitTill = t.now
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// stop has an execution end; of several reasons the first one counts.
func (t *turn) stop(try *Try, word Word, sentence string) {
	if try.StopAt.IsZero() {
		try.StopAt, try.AskAt, try.Asked = t.now, t.now, 0
		try.Word, try.Sentence = word, sentence
		t.wait(try)
	}
}

// give says how an execution ended, since nobody else does.
func (t *turn) give(try *Try, x *Execution, as execution.State) {
	try.Given, try.WaitTill, x.State = true, time.Time{}, as
}
