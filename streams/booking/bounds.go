package booking

import (
	"context"
	"errors"
	"runtime"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/workflow"
)

const (
	// maxLooked bounds the items that one call looks at, in all of its occurrences, and the conflicts that it tells of.
	maxLooked = 100_000
	// crowdedFor is what a preview waits for its turn.
	crowdedFor = 2 * time.Second
)

// looking lets as many look at many occurrences at a time as there are processors: more would only share them.
type looking chan struct{}

func newLooking() looking { return make(looking, runtime.GOMAXPROCS(0)) }

// enter waits for a turn. It fails with ErrCrowded, or as ctx ends.
func (l looking) enter(ctx context.Context) (leave func(), err error) {
	soon, cancel := context.WithTimeout(ctx, crowdedFor)
	defer cancel()
	select {
	case l <- struct{}{}:
		return func() { <-l }, nil
	case <-soon.Done():
		if err := inTime(ctx); err != nil {
			return nil, err
		}
		return nil, ErrCrowded
	}
}

// inTime fails with ErrCrowded when there is no time left to look, and as ctx when nobody waits any more.
func inTime(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrCrowded
	}
	return ctx.Err()
}

// checkLooked fails with a fault.List when there is more to look at than one call may ask for. One occurrence is what
// a check looks at, too.
func checkLooked(w *workflow.Workflow, occurrences int) error {
	if items := len(w.Needs()); occurrences > 1 && items*occurrences > maxLooked {
		var faults fault.List
		faults.Add(fault.Root, "%d occurrences of %d items are more to look at in one call than %d: ask for fewer", occurrences, items, maxLooked)
		return faults
	}
	return nil
}

// told counts the conflicts that are told of.
type told int

// add fails with a fault.List when there are too many.
func (t *told) add(r *booking.Result) error {
	first := *t == 0
	for i := range r.Resources {
		*t += told(len(r.Resources[i].Conflicts))
	}
	if !first && *t > maxLooked {
		var faults fault.List
		faults.Add(fault.Root, "more than %d conflicts are in the way: ask for fewer occurrences", maxLooked)
		return faults
	}
	return nil
}
