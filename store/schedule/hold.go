package schedule

import (
	"encoding/json"
	"errors"
	"time"

	"oc-scheduler/store/history"
)

// HoldState is where a hold stands. When it ends, it is there no more.
type HoldState string

// States of holds.
const (
	Held      HoldState = "held"
	Confirmed HoldState = "confirmed" // it has become a schedule
)

// States to which holds come that are there no more: only their history tells of them.
const (
	Released HoldState = "released"
	Expired  HoldState = "expired"
)

// Hold takes instances for a short while, in the shape that clients see.
type Hold struct {
	ID         string    `json:"id"`
	WorkflowID string    `json:"workflow_id"`
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	ExpiresAt  time.Time `json:"expires_at"`
	State      HoldState `json:"state"`
	ScheduleID *string   `json:"schedule_id"` // of a confirmed one
	Bookings   []Taken   `json:"bookings"`
}

// HoldRecord is a hold as it is stored.
type HoldRecord struct {
	Hold
	CreatedBy string          `json:"created_by"`
	Request   json.RawMessage `json:"request,omitempty"`  // until it is confirmed
	Workflow  json.RawMessage `json:"workflow,omitempty"` // likewise
	// WorkflowAfter is as that of a schedule.
	WorkflowAfter time.Time   `json:"workflow_after,omitzero"`
	Log           history.Log `json:"log,omitempty"` // what has become of it
}

// ConfirmedRequest is the request of the schedule that a hold becomes: the hold's, without what only a hold has, and what its
// confirmation says.
func ConfirmedRequest(hold, confirmation json.RawMessage) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	err := json.Unmarshal(hold, &all)
	for _, name := range members[HoldBody] {
		delete(all, name)
	}
	if err = errors.Join(err, json.Unmarshal(confirmation, &all)); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// Over says whether the hold has ended.
func (h *Hold) Over(now time.Time) bool { return !now.Before(h.ExpiresAt) }

// Check says why a record can't be one that was stored.
func (h *HoldRecord) Check() error {
	switch {
	case !OfHold.Is(h.ID):
		return errors.New("id is none of a hold")
	case h.ExpiresAt.IsZero():
		return errors.New("a hold without end")
	case h.State == Confirmed && h.ScheduleID == nil || h.State != Held && h.State != Confirmed:
		return errors.New("unknown state")
	}
	return nil
}

// Head is the last commit on an instance. Whoever takes something of the instance replaces it, and so comes
// before or after whoever else does.
type Head struct {
	By string `json:"by"` // the schedule or hold
}
