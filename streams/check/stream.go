package check

import (
	"context"
	"sync"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
)

// reevaluate is how often a request whose window moves with time is evaluated again.
const reevaluate = time.Minute

// Stream is one client's view of one workflow. Submit and Refuse may be called from anywhere; Next
// and Close belong to one goroutine, the carrier's.
type Stream struct {
	service    *Service
	workflowID string

	mu     sync.Mutex
	inbox  inbox
	posted chan struct{} // capacity 1: there is something in the inbox

	request  *booking.Request
	asked    time.Time // what the request means by now: when it came, then each minute
	sent     string    // version of the last frame
	gone     bool
	workflow subscription
	planners subscription
	peers    []string // whose planners are watched
	release  func()   // ends that watch
	clock    *time.Timer
}

// inbox is what a client has asked for since the last look: one slot each, the newest wins.
type inbox struct {
	request *booking.Request
	faults  fault.List
}

type subscription struct {
	updates <-chan struct{}
	cancel  func()
}

// Open starts a stream; nothing is watched until its first request. It fails with
// ErrUnknownWorkflow or ErrNotLoaded. The caller must Close it.
func (s *Service) Open(workflowID string) (*Stream, error) {
	st := &Stream{service: s, workflowID: workflowID, posted: make(chan struct{}, 1), release: func() {}}
	st.workflow = subscribe(s.updates.SubscribeWorkflowUpdates(workflowID))
	st.planners = subscribe(s.updates.SubscribePlannerUpdates(nil))
	if _, err := s.workflow(workflowID); err != nil {
		st.Close()
		return nil, err
	}
	return st, nil
}

func subscribe(updates <-chan struct{}, cancel func()) subscription {
	return subscription{updates, cancel}
}

// Submit makes r the stream's request, replacing the one before; the next frame is its result.
func (st *Stream) Submit(r booking.Request) { st.post(inbox{request: &r}) }

// Refuse makes the next frame an error frame; the request before stays in force.
func (st *Stream) Refuse(faults fault.List) { st.post(inbox{faults: faults}) }

func (st *Stream) post(in inbox) {
	st.mu.Lock()
	if in.request != nil {
		st.inbox.request = in.request
	}
	st.inbox.faults = in.faults // a good request withdraws the complaint about the one before it
	st.mu.Unlock()
	select {
	case st.posted <- struct{}{}:
	default:
	}
}

func (st *Stream) collect() (in inbox) {
	st.mu.Lock()
	defer st.mu.Unlock()
	in, st.inbox = st.inbox, inbox{}
	return in
}

// Next waits for the next frame. After the error frame that tells the client that the workflow is
// gone it fails with ErrWorkflowGone; when ctx ends, with ctx's cause.
func (st *Stream) Next(ctx context.Context) (Frame, error) {
	for !st.gone {
		planners, err := st.wait(ctx)
		if err != nil {
			return Frame{}, err
		}
		in := st.collect()
		if in.request != nil {
			st.ask(in.request)
		}
		if in.faults != nil {
			return refusal(in.faults), nil
		}
		if f, ok := st.evaluate(); ok {
			if !planners {
				f.Stored = time.Time{}
			}
			return f, nil
		}
	}
	return Frame{}, ErrWorkflowGone
}

// ask puts a new request in force: its first frame is due whatever was sent before.
func (st *Stream) ask(r *booking.Request) {
	st.request, st.asked, st.sent = r, st.service.now(), ""
	if st.clock != nil {
		st.clock.Reset(reevaluate)
	}
}
