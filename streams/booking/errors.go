package booking

import (
	"errors"
	"fmt"

	"oc-scheduler/store/booking"
)

var (
	// ErrNotLoaded says that this replica does not know the workflows, the planners or the plan yet.
	ErrNotLoaded = errors.New("not loaded yet")
	// ErrBusy says that too many book at the same peers.
	ErrBusy = errors.New("too many book at the same peers")
	// ErrCrowded says that too many look at many occurrences, or that one takes too long.
	ErrCrowded = errors.New("too many previews, or one that takes too long")
	// ErrUnknownWorkflow says that there is no such workflow.
	ErrUnknownWorkflow = errors.New("unknown workflow")
	// ErrNotFound says that there is no such schedule or hold.
	ErrNotFound = errors.New("not found")
	// ErrGone says that a hold has ended, or was never there.
	ErrGone = errors.New("the hold has ended")
	// ErrEnded says that a schedule has ended.
	ErrEnded = errors.New("the schedule has ended")
	// ErrConfirmed says that a hold was confirmed before.
	ErrConfirmed = errors.New("the hold was confirmed before")
)

// TakenError says that what was asked for is taken, or more than there is. Result is the check result of the
// first occurrence that can't be booked.
type TakenError struct{ Result *booking.Result }

func (e *TakenError) Error() string {
	return fmt.Sprintf("taken from %s to %s", e.Result.Start, e.Result.End)
}

// MissingError says that planners are missing, and nothing known forbids what was asked for.
type MissingError struct{ Result *booking.Result }

func (e *MissingError) Error() string {
	return fmt.Sprintf("planners are missing: %v", e.Result.MissingPlanners)
}
