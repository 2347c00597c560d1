package run

import "time"

// due is when the record has to be looked at again, though nothing happens; zero: never.
func (t *turn) due() time.Time {
	var next time.Time
	at := func(when time.Time) {
		if !when.IsZero() && (next.IsZero() || when.Before(next)) {
			next = when
		}
	}
	switch {
	case t.r.State == Scheduled:
		return t.r.Start
	case t.r.State.Final():
	case t.r.Work.Ending == nil:
		t.dueSteps(at)
		if t.r.Work.Idle {
			at(t.r.End)
		}
	}
	for i := range t.r.Work.Tasks {
		for k := range t.r.Work.Tasks[i].Tries {
			t.dueTry(&t.r.Work.Tasks[i].Tries[k], t.present(i, k), at)
		}
	}
	return next
}

// dueSteps are the times at which steps begin, end, or can't begin any more.
func (t *turn) dueSteps(at func(time.Time)) {
	done := make(map[string]bool, len(t.r.Steps))
	for i := range t.r.Steps {
		s, task := &t.r.Steps[i], &t.r.Work.Tasks[i]
		done[s.ItemID] = s.State == Completed
		switch {
		case s.State == Running && len(task.Command) == 0:
			at(s.End)
		case s.State == Waiting && task.Tries == nil:
			if led(task, done) {
				at(s.Start)
			}
			if len(task.Command) == 0 {
				continue
			}
			for _, on := range task.On {
				if room := t.room(on); room != nil {
					at(room.End)
				}
			}
		}
	}
}

// dueTry are the times at which an execution is asked for, tried again, ended or given up.
func (t *turn) dueTry(try *Try, x *Execution, at func(time.Time)) {
	at(try.AskAt)
	if x.State.Final() {
		at(try.RetryAt)
		return
	}
	at(try.WaitTill)
	if try.StopAt.IsZero() {
		at(t.room(try.On).End)
	}
}
