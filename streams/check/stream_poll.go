package check

import (
	"context"
	"errors"
	"slices"
	"time"

	"oc-scheduler/jet"
	"oc-scheduler/store/fault"
)

// Poll is the next frame, if there is one now; when there is none, or more, the stream wakes whoever polls.
// After the error frame that tells the client that the workflow is gone it fails with ErrWorkflowGone.
func (st *Stream) Poll() (f Frame, ok bool, err error) {
	for {
		kinds := st.news.look()
		in := st.collected(kinds)
		switch {
		case st.ended != nil:
			return Frame{}, false, st.ended
		case kinds == 0:
			return Frame{}, false, nil
		}
		if f, ok := st.answer(in, kinds); ok {
			return f, true, nil
		}
	}
}

// Next waits for the next frame. Its errors are those of Poll; when ctx ends, its cause. Who calls it
// needs no OnWake, and is the only one who polls.
func (st *Stream) Next(ctx context.Context) (Frame, error) {
	if st.woken == nil {
		woken := jet.NewWake()
		st.woken = woken
		st.OnWake(woken.Up)
	}
	for {
		if ctx.Err() != nil {
			return Frame{}, context.Cause(ctx)
		}
		if f, ok, err := st.Poll(); ok || err != nil {
			return f, err
		}
		select {
		case <-ctx.Done():
		case <-st.woken:
		}
	}
}

// collected takes in what came from outside.
func (st *Stream) collected(kinds uint32) (in inbox) {
	if kinds&said == 0 {
		return inbox{}
	}
	in = st.collect()
	if in.request != nil {
		st.ask(in.request)
	}
	return in
}

// answer is the frame that the news call for, if any.
func (st *Stream) answer(in inbox, kinds uint32) (Frame, bool) {
	if in.tooSoon {
		if in.faults != nil {
			st.Refuse(in.faults) // said next
		}
		st.tell(kinds)
		return tooSoonFrame(), true
	}
	if in.faults != nil {
		st.tell(kinds) // the next look is at what else has happened
		return refusal(in.faults), true
	}
	if kinds&minutePassed != 0 {
		st.move()
	}
	f, ok := st.evaluate()
	if kinds&plannersChanged == 0 || in.request != nil {
		f.Stored = time.Time{}
	}
	return f, ok
}

// evaluate answers the request as things stand; false when there is none, or nothing new to say.
func (st *Stream) evaluate() (Frame, bool) {
	if st.request == nil {
		return Frame{}, false
	}
	w, err := st.service.workflow(st.who, st.workflowID)
	if err != nil {
		st.ended = ErrWorkflowGone
		st.watch(nil)
		st.tell(workflowChanged) // the next Poll is the end
		return goneFrame(), true
	}
	st.watch(w.Peers())
	f, err := st.service.evaluator.evaluate(st.who, w, *st.request, st.asked)
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

// watch makes peers the ones whose planners and bookings are watched, and planners wanted. The new ones come before the
// old ones go, so that a peer in both is never let go of, and before any planner or booking is read, so that
// no change falls between.
func (st *Stream) watch(peers []string) {
	if slices.Equal(peers, st.peers) {
		return
	}
	updates := st.service.updates
	planners := updates.OnPlannerUpdates(peers, func() bool { return st.tell(plannersChanged) })
	bookings := updates.OnBookingUpdates(peers, func() bool { return st.tell(bookingsChanged) })
	release := st.service.demand.Watch(peers)
	st.planners()
	st.release()
	st.release, st.peers = release, peers
	st.planners = func() { planners(); bookings() }
}
