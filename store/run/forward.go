package run

import (
	"time"

	"oc-scheduler/store/execution"
)

// forward begins and completes steps whose time has come. Each stands after those that lead to it, so that one
// pass finds all.
func (t *turn) forward() {
	done := make(map[string]bool, len(t.r.Steps))
	for i := range t.r.Steps {
		if t.r.Work.Ending != nil {
			return
		}
		s, task := &t.r.Steps[i], &t.r.Work.Tasks[i]
		switch {
		case s.State.Final():
		case len(task.Command) == 0:
			t.pass(i, done)
		case task.Tries == nil:
			t.launch(i, done)
		default:
			t.follow(i)
		}
		done[s.ItemID] = s.State == Completed
	}
}

// led says whether all that leads to a step is completed.
func led(task *Task, done map[string]bool) bool {
	for _, before := range task.After {
		if !done[before] {
			return false
		}
	}
	return true
}

// pass lets the time of a step pass of which nothing is executed. It keeps its interval, however late it began.
func (t *turn) pass(i int, done map[string]bool) {
	s := &t.r.Steps[i]
	if s.State == Waiting && led(&t.r.Work.Tasks[i], done) && t.reached(s.Start) {
		t.moveStep(i, Running, "")
	}
	if s.State == Running && t.reached(s.End) {
		t.moveStep(i, Completed, "")
	}
}

// launch orders a step to be executed: on all its nodes, or on none.
func (t *turn) launch(i int, done map[string]bool) {
	s, task := &t.r.Steps[i], &t.r.Work.Tasks[i]
	for _, on := range task.On {
		if room := t.room(on); room != nil && t.reached(room.End) {
			t.failStep(i, OutOfTime, "the booking of "+on+" ended before it could begin")
			return
		}
	}
	if !led(task, done) || !t.reached(s.Start) {
		return
	}
	nodes := make([]Node, len(task.On))
	for k, on := range task.On {
		node, found := t.find(on)
		if !found {
			t.failStep(i, NoNode, "nobody offers what is booked for "+on)
			return
		}
		nodes[k] = node
	}
	task.Tries = make([]Try, len(task.On))
	for k, on := range task.On {
		task.Tries[k].On = on
		t.try(i, k, 1, nodes[k])
	}
}

// find is the node that offers what is booked for an item.
func (t *turn) find(itemID string) (Node, bool) {
	room := t.room(itemID)
	if room == nil {
		return Node{}, false
	}
	return t.world.Node(Place{room.PeerID, room.ResourceID, room.InstanceID})
}

// follow draws the conclusions from how the executions of a step stand.
func (t *turn) follow(i int) {
	s, task := &t.r.Steps[i], &t.r.Work.Tasks[i]
	completed := 0
	for k := range task.Tries {
		x := t.present(i, k)
		if s.State == Waiting && begun(x) {
			t.moveStep(i, Running, "")
		}
		switch x.State {
		case execution.Completed:
			if try := &task.Tries[k]; try.Late {
				t.failStep(i, OutOfTime, overtime(try, x))
				return
			}
			completed++
		case execution.Failed, execution.Cancelled:
			t.after(i, k)
		}
		if s.State.Final() {
			return
		}
	}
	if completed == len(task.Tries) {
		t.moveStep(i, Completed, "")
	}
}

// begun says whether the node has begun with an execution.
func begun(x *Execution) bool {
	return x.State == execution.Running || x.State == execution.Completed || x.State == execution.Failed && x.ExitCode != nil
}

// after tries again what has failed, or gives the step up.
func (t *turn) after(i, k int) {
	try, x := &t.r.Work.Tasks[i].Tries[k], t.present(i, k)
	end := t.room(try.On).End
	switch {
	case !try.StopAt.IsZero(), x.State == execution.Failed && try.Word != "":
		t.failStep(i, try.Word, try.Sentence)
	case x.State == execution.Cancelled:
		t.cancelStep(i, try.Sentence)
	case x.Attempt > t.r.Work.Tasks[i].Retries:
		t.failStep(i, StepFailed, try.Sentence)
	case try.RetryAt.IsZero():
		try.RetryAt = t.now.Add(pause(x.Attempt))
		if !try.RetryAt.Before(end) {
			t.failStep(i, StepFailed, try.Sentence+"; no time is left to try again")
		}
	case t.reached(end):
		t.failStep(i, StepFailed, try.Sentence+"; no time was left to try again")
	case t.reached(try.RetryAt):
		node, found := t.find(try.On)
		if !found {
			t.failStep(i, NoNode, "nobody offers any more what is booked for "+try.On)
			return
		}
		t.try(i, k, x.Attempt+1, node)
	}
}

// pause is how long a failed attempt is let be.
func pause(attempt int) time.Duration {
	return min(time.Second<<min(attempt-1, 5), 30*time.Second)
}
