package run

import (
	"time"

	"oc-scheduler/store/execution"
)

// Run is what everybody may see of a run.
type Run struct {
	ID         string            `json:"id"`
	WorkflowID string            `json:"workflow_id"`
	ScheduleID string            `json:"schedule_id"`
	Nominal    string            `json:"nominal"` // names the occurrence: a local time with its offset
	Start      time.Time         `json:"start"`   // of the booked window, [Start, End)
	End        time.Time         `json:"end"`
	State      State             `json:"state"`
	Reason     string            `json:"reason"`
	CreatedAt  time.Time         `json:"created_at"`
	StartedAt  *time.Time        `json:"started_at"` // when orders went out
	EndedAt    *time.Time        `json:"ended_at"`
	LateS      *float64          `json:"late_s"` // seconds from Start to the first order stored
	Labels     map[string]string `json:"labels"`
	Steps      []Step            `json:"steps,omitzero"` // each after those that lead to it; lists leave them out
}

// Step is a processing item of the workflow on its way.
type Step struct {
	ItemID     string      `json:"item_id"`
	State      State       `json:"state"`
	Start      time.Time   `json:"start"` // as planned
	End        time.Time   `json:"end"`
	StartedAt  *time.Time  `json:"started_at"`
	EndedAt    *time.Time  `json:"ended_at"`
	Reason     string      `json:"reason"`
	Executions []Execution `json:"executions"` // in the order in which they were ordered
}

// Execution is one try of a step on one of its compute items.
type Execution struct {
	ExecutionID string          `json:"execution_id"`
	NodeID      string          `json:"node_id"`
	Attempt     int             `json:"attempt"` // from 1
	State       execution.State `json:"state"`
	ExitCode    *int            `json:"exit_code"`
}

// Record is a run as it is stored: what everybody may see, and beside it what is needed to go on.
type Record struct {
	Run
	Work Work `json:"work"`
}

// Work is what a run knows beside what it shows.
type Work struct {
	CatchUpS   float64   `json:"catch_up_s"`     // how late it may start
	Rooms      []Room    `json:"rooms"`          // what is booked for it
	Tasks      []Task    `json:"tasks"`          // what its steps are to do, in their order
	Idle       bool      `json:"idle,omitempty"` // it executes nothing and nothing takes time: it lasts its window
	Ending     *Ending   `json:"ending,omitempty"`
	FirstOrder time.Time `json:"first_order,omitzero"`
	Log        []Item    `json:"log"` // its history, for whoever passes it on
}

// Room is what is booked for one compute or storage item.
type Room struct {
	ItemID     string    `json:"item_id"`
	BookingID  string    `json:"booking_id"`
	PeerID     string    `json:"peer_id"`
	ResourceID string    `json:"resource_id"`
	InstanceID string    `json:"instance_id"`
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	Kept       bool      `json:"kept,omitempty"`  // no step says when it is over: it is kept for the whole run
	Freed      bool      `json:"freed,omitempty"` // it was given back before its end
}

// Task is what a step is to do.
type Task struct {
	After   []string          `json:"after,omitempty"` // steps that lead to it
	On      []string          `json:"on,omitempty"`    // compute items: it runs on each of them
	Uses    []string          `json:"uses,omitempty"`  // compute and storage items that it needs
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Retries int               `json:"retries,omitempty"`
	Tries   []Try             `json:"tries,omitempty"` // one for each of On, once orders went out
}

// Try is how a step fares on one of its compute items: which execution is the present one, and what is to
// happen to it.
type Try struct {
	On       string          `json:"on"`              // the compute item
	At       int             `json:"at"`              // the present execution's place among the step's
	Seen     execution.State `json:"seen,omitempty"`  // what the executions have told of it; empty: nothing yet
	Given    bool            `json:"given,omitempty"` // its state is our verdict, nobody has told it
	AskAt    time.Time       `json:"ask_at,omitzero"` // when its order goes out again, unless it is known to have come
	Asked    int             `json:"asked,omitempty"` // how often it went out
	RetryAt  time.Time       `json:"retry_at,omitzero"`
	StopAt   time.Time       `json:"stop_at,omitzero"` // since when it is to end; zero: it may go on
	Word     Word            `json:"word,omitempty"`   // why it is to end, or failed
	Sentence string          `json:"sentence,omitempty"`
	LostAt   time.Time       `json:"lost_at,omitzero"`   // since when its node is lost
	WaitTill time.Time       `json:"wait_till,omitzero"` // how long the word of its node is waited for; zero: for ever
	Late     bool            `json:"late,omitempty"`     // it was completed, but after its booking
	NodeAsOf uint64          `json:"node_as_of,omitempty"`
}

// Ending is what a run comes to once nothing of it runs any more.
type Ending struct {
	To     State     `json:"to"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
	Since  time.Time `json:"since"`
}

// Item is a transition, as history keeps it.
type Item struct {
	Seq    int       `json:"seq"` // from 1, without gaps
	At     time.Time `json:"at"`
	Kind   Kind      `json:"kind"`
	ItemID string    `json:"item_id,omitempty"` // the step; of a run: none
	From   State     `json:"from"`
	To     State     `json:"to"`
	Reason string    `json:"reason"`
	By     string    `json:"by"`
}
