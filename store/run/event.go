package run

import (
	"time"

	"oc-scheduler/store/execution"
)

// Event is something that happened, and that a run may have to do with: Due, Executed, Sent, Unsendable,
// Cancel, Displace or NodeSeen.
type Event interface {
	kind() kind
	by() string // who, for the history
}

// kind names the rows of the transition table.
type kind string

// bySelf is who acts when only time has passed.
const bySelf = "scheduler"

// Due says that it may be time: a timer has run out, at the right moment or not.
type Due struct{}

// Executed says how an execution stands.
type Executed struct {
	ExecutionID string
	NodeID      string
	State       execution.State
	OrderedAt   time.Time // when its order was stored, by the clock of NATS
	OverAt      time.Time // when it was over at the latest, by the same; zero: nobody knows
	ExitCode    *int
	Reason      string
	Word        Word // why it failed, when trying again is of no use; else empty
}

// Sent says that the orders to end executions are stored: their nodes will have them.
type Sent struct{ ExecutionIDs []string }

// Unsendable says that an order can never be sent: there is nobody to have it, or nothing to end.
type Unsendable struct {
	ExecutionID string
	End         bool // the order to end it, else that to start it
	Word        Word // NoNode or Refused
	Sentence    string
}

// Cancel says that somebody wants a run to end.
type Cancel struct{ By, Reason string }

// Displace says that others have what was booked for a run.
type Displace struct{ By, Reason string }

// NodeSeen says how a node stands. AsOf grows with each change of it.
type NodeSeen struct {
	NodeID string
	AsOf   uint64
	LostAt time.Time // zero: it is connected
}

func (Due) kind() kind        { return "due" }
func (Executed) kind() kind   { return "executed" }
func (Sent) kind() kind       { return "sent" }
func (Unsendable) kind() kind { return "unsendable" }
func (Cancel) kind() kind     { return "cancel" }
func (Displace) kind() kind   { return "displace" }
func (NodeSeen) kind() kind   { return "node" }

func (Due) by() string        { return bySelf }
func (e Executed) by() string { return "node:" + e.NodeID }
func (Sent) by() string       { return bySelf }
func (Unsendable) by() string { return bySelf }
func (e Cancel) by() string   { return e.By }
func (e Displace) by() string { return e.By }
func (e NodeSeen) by() string { return "node:" + e.NodeID }

// Told is the event of an execution that stands as it is stored.
func Told(e execution.Execution) Executed {
	told := Executed{
		ExecutionID: e.ExecutionID, NodeID: e.NodeID, State: e.State,
		OrderedAt: e.OrderedAt, OverAt: e.OverAt, ExitCode: e.ExitCode, Reason: e.Reason,
	}
	switch {
	case e.Refused():
		told.Word = Refused
	case e.Lost():
		told.Word = NodeLost
	}
	return told
}
