package run

import (
	"time"

	"oc-scheduler/store/execution"
)

// punctual is how late a deadline may be looked at for its word to be the last: whoever comes later was away,
// and a node may have told meanwhile how the execution ended.
const punctual = 5 * time.Second

// judge has executions end whose time is over, and gives up those of which nobody has told in time.
func (t *turn) judge() {
	for i := range t.r.Work.Tasks {
		for k := range t.r.Work.Tasks[i].Tries {
			try, x := &t.r.Work.Tasks[i].Tries[k], t.present(i, k)
			if x.State.Final() {
				continue
			}
			end := t.room(try.On).End
			switch {
			case t.reached(end):
				t.stop(try, OutOfTime, sentence(x, "the booking of "+try.On+" ended"))
			case !try.LostAt.IsZero() && t.reached(try.LostAt.Add(t.world.Grace)):
				t.stop(try, NodeLost, sentence(x, "the node has been lost since "+try.LostAt.Format(time.RFC3339)))
			}
			switch limit := t.limit(try, end); {
			case limit.IsZero() || !t.reached(limit):
			case try.Word == NodeLost:
				t.give(try, x, execution.Failed)
			default:
				t.give(try, x, execution.Cancelled)
			}
		}
	}
}

// limit is how long the node is waited for that is to end an execution; zero: it may go on.
func (t *turn) limit(try *Try, end time.Time) time.Time {
	switch {
	case try.StopAt.IsZero():
		return time.Time{}
	case !try.LostAt.IsZero():
		return try.StopAt
	}
	limit := try.StopAt.Add(t.world.Grace)
	if over := later(try.StopAt, end); try.StopAt.Before(end.Add(punctual)) && over.Before(limit) {
		return over
	}
	return limit
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
	}
}

// give says how an execution ended, since nobody else does.
func (t *turn) give(try *Try, x *Execution, as execution.State) {
	try.Given, x.State = true, as
}
