package events

import (
	"time"

	"oc-scheduler/jet"
)

// Subjects of the OpenCloud bus. The names, with their spelling, are the ecosystem's: frozen.
const (
	Propagation    = "PROPALGATION_EVENT"
	CreateResource = "CREATE_RESOURCE"
	RemoveResource = "REMOVE_RESOURCE"
)

// JetStream names that operators see.
const (
	Stream      = "OC_BUS"
	DeadStream  = "OC_BUS_DEAD"
	Durable     = "oc-scheduler"
	deadSubject = "oc.dead." // + the subject on which the message came
)

// Who speaks on the bus, and about what.
const (
	FromDiscovery = "oc-discovery" // Envelope.FromApp of planners
	FromScheduler = "oc-scheduler" // Envelope.FromApp of what this program says

	DatatypeWorkflow   = "WORKFLOW"
	DatatypeBooking    = "BOOKING"            // from this program: what is booked of an instance
	DatatypeExecution  = "WORKFLOW_EXECUTION" // from this program: a run
	ActionPlanner      = "PB_PLANNER"         // from oc-discovery a planner, from anybody else the request for one
	ActionClosePlanner = "PB_CLOSE_PLANNER"   // the planner is not wanted any more
)

// MaxMessageSize is the largest message of the bus in bytes, headers included.
const MaxMessageSize = 8 << 20

const (
	busAge     = 24 * time.Hour
	deadAge    = 30 * 24 * time.Hour
	deadBytes  = 128 << 20      // then the oldest go: who sends what can't be used fills no disk
	deadWindow = 24 * time.Hour // a dead letter is recognised as a copy for as long as the bus can deliver it again
	maxPending = 8000           // unacknowledged in the whole fleet; two hung replicas must not stop the rest
)

// HeaderComposed marks a planner that this program has composed and told on the bus: to its own readers it is no news.
const HeaderComposed = "Oc-Composed"

// Headers of a dead letter.
const (
	HeaderReason = jet.HeaderReason
	HeaderDetail = jet.HeaderDetail
)
