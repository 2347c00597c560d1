package run

import (
	"reflect"
	"time"
)

// Now is what counts beside the record and the event: equal ones give equal outcomes.
type Now struct {
	At    time.Time     // by the clock of NATS
	Grace time.Duration // how long a node is waited for that is lost, or does not say that it has ended something
	// Node finds who offers an instance; false: nobody does.
	Node func(Place) (Node, bool)
}

// Place is where an instance is offered.
type Place struct{ PeerID, ResourceID, InstanceID string }

// Node is who offers an instance, and how it stands.
type Node struct {
	ID     string
	AsOf   uint64
	LostAt time.Time // zero: it is connected
}

// Outcome is what follows from an event, beside the record.
type Outcome struct {
	Changed bool    // the record is another one, and has to be stored
	Start   []Start // orders, to be sent once the record is stored
	Stop    []Stop
	Free    []Free    // bookings that end earlier than they would
	History []Item    // what is new in it
	Due     time.Time // when to look again at the latest; zero: never
}

// rule is what an event does to a run in a state. What follows from the record and the time alone, settle finds.
type rule func(t *turn, what Event)

// transitions are the rules, each pair decided on purpose. What has not begun has no executions, and what has
// ended may still have some that are to end.
var transitions = map[State]map[kind]rule{
	Scheduled: {
		"due": begin, "executed": ignore, "sent": ignore, "unsendable": ignore,
		"cancel": callOff, "displace": callOff, "node": ignore,
	},
	Starting: {
		"due": ignore, "executed": noteExecution, "sent": noteSent, "unsendable": noteUnsendable,
		"cancel": wish, "displace": wish, "node": noteNode,
	},
	Running: {
		"due": ignore, "executed": noteExecution, "sent": noteSent, "unsendable": noteUnsendable,
		"cancel": wish, "displace": wish, "node": noteNode,
	},
	Completed: {
		"due": ignore, "executed": ignore, "sent": ignore, "unsendable": ignore,
		"cancel": ignore, "displace": ignore, "node": ignore,
	},
	Failed: {
		"due": ignore, "executed": noteExecution, "sent": noteSent, "unsendable": noteUnsendable,
		"cancel": ignore, "displace": ignore, "node": noteNode,
	},
	Cancelled: {
		"due": ignore, "executed": noteExecution, "sent": noteSent, "unsendable": noteUnsendable,
		"cancel": ignore, "displace": ignore, "node": noteNode,
	},
	Missed: {
		"due": ignore, "executed": ignore, "sent": ignore, "unsendable": ignore,
		"cancel": ignore, "displace": ignore, "node": ignore,
	},
}

// ignore changes nothing: what is due, settle does.
func ignore(*turn, Event) {}

// Advance is a run after something happened. It changes nothing of what it is given.
func Advance(before Record, what Event, now Now) (Record, Outcome) {
	return AdvanceAll(before, []Event{what}, now)
}

// AdvanceAll is a run after several things happened, one after the other: as Advance has it, and all that follows.
func AdvanceAll(before Record, events []Event, now Now) (Record, Outcome) {
	r := before.clone()
	t := &turn{r: &r, now: plain(now.At), world: now, logged: len(r.Work.Log)}
	if n := len(r.Work.Log); n > 0 && t.now.Before(r.Work.Log[n-1].At) { // another replica was ahead
		t.now = r.Work.Log[n-1].At
	}
	for _, what := range events {
		t.by = what.by()
		transitions[r.State][what.kind()](t, what)
		t.settle()
	}
	return r, t.outcome(!reflect.DeepEqual(before, r))
}
