package run

import (
	"maps"
	"slices"
	"time"
)

// turn is one call of Advance under way, on a record of its own.
type turn struct {
	r      *Record
	now    time.Time
	by     string
	world  Now
	rooms  map[string]*Room // by item, once they were asked for
	logged int              // items of the log before this turn
	out    Outcome
}

// clone is a record of which all that changes may be changed.
func (r Record) clone() Record {
	r.Labels = maps.Clone(r.Labels)
	r.Steps = slices.Clone(r.Steps)
	for i := range r.Steps {
		r.Steps[i].Executions = slices.Clone(r.Steps[i].Executions)
	}
	r.Work.Rooms = slices.Clone(r.Work.Rooms)
	r.Work.Tasks = slices.Clone(r.Work.Tasks)
	for i := range r.Work.Tasks {
		r.Work.Tasks[i].Tries = slices.Clone(r.Work.Tasks[i].Tries)
	}
	r.Work.Log = slices.Clone(r.Work.Log)
	return r
}

// settle does what follows from the record and the time.
func (t *turn) settle() {
	for given := true; given; given = t.judge() {
		if t.r.State == Starting || t.r.State == Running {
			t.judge()
			t.forward()
			t.wind()
		}
	}
	t.conclude()
	t.ask()
	t.free()
}

func (t *turn) outcome(changed bool) Outcome {
	t.out.Changed = changed
	t.out.History = t.r.Work.Log[t.logged:]
	t.out.Due = t.due()
	return t.out
}

// moveRun brings the run to a state.
func (t *turn) moveRun(to State, reason string) {
	t.log(Item{Kind: OfRun, From: t.r.State, To: to, Reason: reason})
	t.r.State, t.r.Reason = to, reason
	if to.Final() {
		t.r.EndedAt = &t.now
	}
}

// moveStep brings a step to a state.
func (t *turn) moveStep(i int, to State, reason string) {
	s := &t.r.Steps[i]
	t.log(Item{Kind: OfStep, ItemID: s.ItemID, From: s.State, To: to, Reason: reason})
	s.State, s.Reason = to, reason
	switch {
	case to == Running:
		s.StartedAt = &t.now
		if t.r.State == Starting {
			t.moveRun(Running, "")
		}
	case to.Final():
		s.EndedAt = &t.now
	}
}

func (t *turn) log(it Item) {
	it.Seq, it.At, it.By = len(t.r.Work.Log)+1, t.now, t.by
	t.r.Work.Log = append(t.r.Work.Log, it)
}

// reached says whether a time that counts has come.
func (t *turn) reached(at time.Time) bool { return !at.IsZero() && !t.now.Before(at) }

// room is what is booked for an item; nil: nothing is.
func (t *turn) room(itemID string) *Room {
	if t.rooms == nil {
		t.rooms = make(map[string]*Room, len(t.r.Work.Rooms))
		for i := range t.r.Work.Rooms {
			t.rooms[t.r.Work.Rooms[i].ItemID] = &t.r.Work.Rooms[i]
		}
	}
	return t.rooms[itemID]
}
