package run

import (
	"time"

	"oc-scheduler/store/execution"
)

// Start is the order to execute something, which has its effect once however often it is sent.
type Start struct {
	NodeID string
	On     Place // where the room is that it runs in
	Order  execution.Order
}

// Stop is the order to end an execution.
type Stop struct {
	ExecutionID string
	NodeID      string
	Reason      string
}

const (
	// askSoon is when an order goes out again of which nobody knows that it came: whoever was to send it may have
	// died before he did. Then come askAgain, and twice that each time.
	askSoon, askAgain = 3 * time.Second, 10 * time.Second
	// askAtMost is the longest pause between two of them.
	askAtMost = 5 * time.Minute
	// atOnce is how many orders go out in a turn: as many as whoever has it surely sends before his time is up. The others
	// follow, as many each apace, whoever has the turn then.
	atOnce, apace = 128, 250 * time.Millisecond
	// afterAll is how much later than the scheduler a node ends by itself what is out of time.
	afterAll = 5 * time.Second
)

// ask sends the orders that are due.
func (t *turn) ask() {
	due := 0
	for i := range t.r.Work.Tasks {
		for k := range t.r.Work.Tasks[i].Tries {
			try, x := &t.r.Work.Tasks[i].Tries[k], t.present(i, k)
			if !t.reached(try.AskAt) {
				continue
			}
			if due++; due > atOnce {
				try.AskAt = t.now.Add(time.Duration((due-1)/atOnce) * apace)
				continue
			}
			if try.StopAt.IsZero() {
				t.out.Start = append(t.out.Start, t.start(i, try, x))
			} else {
				t.out.Stop = append(t.out.Stop, Stop{x.ExecutionID, x.NodeID, string(try.Word) + ": " + try.Sentence})
			}
			try.AskAt = t.now.Add(pauseToAsk(try.Asked))
			try.Asked++
		}
	}
}

// pauseToAsk is how long an order that went out so often before is let be.
func pauseToAsk(asked int) time.Duration {
	if asked == 0 {
		return askSoon
	}
	return min(askAgain<<min(asked-1, 5), askAtMost)
}

func (t *turn) start(i int, try *Try, x *Execution) Start {
	s, task, room := &t.r.Steps[i], &t.r.Work.Tasks[i], t.room(try.On)
	return Start{
		NodeID: x.NodeID, On: Place{PeerID: room.PeerID, ResourceID: room.ResourceID, InstanceID: room.InstanceID},
		Order: execution.Order{
			ExecutionID: x.ExecutionID, BookingID: room.BookingID, WorkflowID: t.r.WorkflowID,
			Of:      execution.Of{RunID: t.r.ID, ItemID: s.ItemID, Attempt: x.Attempt},
			Command: task.Command, Env: task.Env,
			Duration: s.End.Sub(s.Start), Timeout: room.End.Sub(t.now) + afterAll,
		},
	}
}
