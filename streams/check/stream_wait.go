package check

import (
	"context"
	"errors"
	"slices"
	"time"

	"oc-scheduler/store/fault"
)

// wait blocks until something may have changed; planners says that a planner did.
func (st *Stream) wait(ctx context.Context) (planners bool, err error) {
	select {
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-st.posted:
	case <-st.workflow.updates:
	case <-st.planners.updates:
		return true, nil
	case <-st.tick():
		st.asked = st.service.now()
		st.clock.Reset(reevaluate)
	}
	return false, nil
}

// tick fires when a moving window has to be looked at again; nil, never, for one that does not move.
func (st *Stream) tick() <-chan time.Time {
	if st.request == nil || !st.request.Moves() {
		return nil
	}
	if st.clock == nil {
		st.clock = time.NewTimer(reevaluate)
	}
	return st.clock.C
}

// evaluate answers the request as things stand; false when there is none, or nothing new to say.
func (st *Stream) evaluate() (Frame, bool) {
	if st.request == nil || st.gone {
		return Frame{}, false
	}
	w, err := st.service.workflow(st.workflowID)
	if err != nil {
		st.gone = true
		st.watch(nil)
		return goneFrame(), true
	}
	st.watch(w.Peers())
	f, err := st.service.evaluator.evaluate(w, *st.request, st.asked)
	if err != nil {
		var faults fault.List
		errors.As(err, &faults)
		f = refusal(faults)
		f.Version = faults.Error() // said once, until it changes
	}
	if f.Version == st.sent {
		return Frame{}, false
	}
	st.sent = f.Version
	return f, true
}

// watch makes peers the ones whose planners are watched and wanted. The new ones come before the
// old ones go, so that a peer in both is never let go of, and before any planner is read, so that
// no change falls between.
func (st *Stream) watch(peers []string) {
	if slices.Equal(peers, st.peers) {
		return
	}
	updates := subscribe(st.service.updates.SubscribePlannerUpdates(peers))
	release := st.service.demand.Watch(peers)
	st.planners.cancel()
	st.release()
	st.planners, st.release, st.peers = updates, release, peers
}

// Close ends the stream and its interest in planners. Next must not be running.
func (st *Stream) Close() {
	st.workflow.cancel()
	st.planners.cancel()
	st.release()
	if st.clock != nil {
		st.clock.Stop()
	}
}
