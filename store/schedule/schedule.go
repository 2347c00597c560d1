package schedule

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"oc-scheduler/store/history"
)

func readerOf(data []byte) io.Reader { return bytes.NewBuffer(data) }

// State is where a schedule stands.
type State string

// States of schedules. The last two are ends.
const (
	Active    State = "active"
	Paused    State = "paused" // nothing new is booked or started
	Ended     State = "ended"
	Cancelled State = "cancelled"
)

// Final says whether a schedule in this state has ended.
func (s State) Final() bool { return s == Ended || s == Cancelled }

// Schedule is the wish that a workflow runs at one time or again and again, in the shape that clients see.
type Schedule struct {
	ID          string            `json:"id"`
	WorkflowID  string            `json:"workflow_id"`
	State       State             `json:"state"`
	Reason      string            `json:"reason"`
	AtRisk      bool              `json:"at_risk"` // worked out when it is shown; never stored as true
	Request     json.RawMessage   `json:"request"` // as it was asked for
	CreatedAt   time.Time         `json:"created_at"`
	CreatedBy   string            `json:"created_by"`
	Labels      map[string]string `json:"labels"`
	Occurrences []Occurrence      `json:"occurrences,omitempty"` // by start; lists leave them out

	conflicts []int64      // the ends of occurrences in conflict; of one in a list
	next      [2]time.Time // when the first occurrence begins and ends that is not over; likewise
}

// DecodeListed reads of a stored record what lists tell: all but occurrences, of which it is noted when those are over that
// are in conflict, and when the next one is. The rest, which may be most of it, is passed over. It fails when it can't be
// one that was stored.
func DecodeListed(data []byte) (*Schedule, error) {
	var r struct {
		Schedule
		Occurrences []struct {
			State OccurrenceState `json:"state"`
			Start time.Time       `json:"start"`
			End   time.Time       `json:"end"`
		} `json:"occurrences"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	for _, o := range r.Occurrences {
		if o.State == Conflict {
			r.conflicts = append(r.conflicts, o.End.UnixNano())
		}
		if (o.State.Holds() || o.State == Pending) && (r.next[0].IsZero() || o.Start.Before(r.next[0])) {
			r.next = [2]time.Time{o.Start, o.End}
		}
	}
	return &r.Schedule, r.Check()
}

// Check says why a schedule can't be one that was stored.
func (s *Schedule) Check() error {
	switch {
	case !OfSchedule.Is(s.ID):
		return errors.New("id is none of a schedule")
	case s.WorkflowID == "":
		return errors.New("no workflow")
	case s.State != Active && s.State != Paused && !s.State.Final():
		return errors.New("unknown state")
	}
	return nil
}

// Conflicts is how many occurrences are in conflict that are not over.
func (s *Schedule) Conflicts(now time.Time) (n int) {
	for _, end := range s.conflicts {
		if end > now.UnixNano() {
			n++
		}
	}
	return n
}

// Next is when the first occurrence of one in a list begins and ends that is booked, waits for a planner, or is under way;
// zero: there is none.
func (s *Schedule) Next() (start, end time.Time) { return s.next[0], s.next[1] }

// Risk differs where something else is at risk; 0: nothing is.
func (s *Schedule) Risk() (which int64) {
	for _, o := range s.Occurrences {
		if o.AtRisk {
			which += o.Start.UnixNano()
		}
	}
	return which
}

// OccurrenceState is where an occurrence stands. Once its run exists, it is the run's state.
type OccurrenceState string

// States of occurrences that have no run.
const (
	Pending             OccurrenceState = "pending" // a planner is missing
	Booked              OccurrenceState = "booked"
	Conflict            OccurrenceState = "conflict" // it can't be booked
	Skipped             OccurrenceState = "skipped"  // by overlap, or while the schedule was paused
	Displaced           OccurrenceState = "displaced"
	CancelledOccurrence OccurrenceState = "cancelled"
	Missed              OccurrenceState = "missed"
)

// Occurrence is one time of a schedule. Its nominal time, a local time with its offset, names it.
type Occurrence struct {
	Nominal  time.Time       `json:"nominal"`
	Start    time.Time       `json:"start"`
	End      time.Time       `json:"end"`
	State    OccurrenceState `json:"state"`
	RunID    *string         `json:"run_id"`
	AtRisk   bool            `json:"at_risk"`
	Bookings []Taken         `json:"bookings"`
}

// Taken is what an item takes of an instance for one occurrence, or for a hold. Bookings of one instance and
// owner have one id.
type Taken struct {
	ID     string `json:"id"`
	ItemID string `json:"item_id"`
	Place
	Start time.Time       `json:"start"`
	End   time.Time       `json:"end"`
	Usage json.RawMessage `json:"usage,omitempty"`
}

// Record is a schedule as it is stored: with the workflow that it was booked with.
type Record struct {
	Schedule
	Workflow json.RawMessage `json:"workflow"`
	// WorkflowAfter tells that workflow from the others that were under its id: when the one before it was removed.
	WorkflowAfter time.Time `json:"workflow_after,omitzero"`
	// Preemptible says that others may displace what it books.
	Preemptible bool `json:"preemptible,omitempty"`
	// Counted is how many occurrences were decided on, also those that are not kept any more.
	Counted int `json:"counted"`
	// Tried is up to when occurrences in conflict were tried once more, at their time.
	Tried time.Time `json:"tried,omitzero"`
	// Log is what has become of it, and of its occurrences: of late, and whatever has not been passed on yet.
	Log history.Log `json:"log,omitempty"`

	was stood
}
