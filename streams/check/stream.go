package check

import (
	"sync"
	"time"

	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
)

// reevaluate is how often a request whose window moves with time is evaluated again.
const reevaluate = time.Minute

// Stream is one client's view of one workflow. Submit and Refuse may be called from anywhere. All else
// belongs to one goroutine at a time.
type Stream struct {
	service    *Service
	who        *access.Subject
	workflowID string
	news       news
	wake       func()
	woken      chan struct{} // of Next: capacity 1, was woken

	mu    sync.Mutex
	inbox inbox

	request  *booking.Request
	asked    time.Time // what the request means by now: when it came, then each minute
	sent     string    // version of the last frame
	ended    error     // why Poll fails
	workflow func()    // ends the subscription
	planners func()    // ends the subscriptions to planners and bookings
	peers    []string  // whose planners and bookings are watched
	release  func()    // ends that watch
	clock    *time.Timer
}

// inbox is what came from outside since the last look: one slot each, the newest request wins.
type inbox struct {
	request *booking.Request
	faults  fault.List
	tooSoon bool // one more request was not taken
}

// Open starts a stream; nothing is watched until its first request. It fails with
// ErrUnknownWorkflow or ErrNotLoaded. The caller must Close it.
func (s *Service) Open(who *access.Subject, workflowID string) (*Stream, error) {
	nothing := func() {}
	st := &Stream{service: s, who: who, workflowID: workflowID, wake: nothing, planners: nothing, release: nothing}
	st.news.add(said) // nobody is woken before the first Poll
	st.workflow = s.updates.OnWorkflowUpdates(workflowID, func() bool { return st.tell(workflowChanged) })
	if _, err := s.workflow(who, workflowID); err != nil {
		st.Close()
		return nil, err
	}
	return st, nil
}

// OnWake has wake called when there is something to Poll for: news since a Poll began, or more after its
// frame. It must not block, and has to be set before the first Poll.
func (st *Stream) OnWake(wake func()) { st.wake = wake }

// Submit makes r the stream's request, replacing the one before; the next frame is its result.
func (st *Stream) Submit(r booking.Request) {
	st.post(func(in *inbox) { in.request, in.faults = &r, nil }) // it withdraws a complaint about the one before
}

// Refuse makes the next frame an error frame; the request before stays in force.
func (st *Stream) Refuse(faults fault.List) { st.post(func(in *inbox) { in.faults = faults }) }

// TooSoon makes the next frame say that a request came too soon and was not taken; the one before stays in force.
func (st *Stream) TooSoon() { st.post(func(in *inbox) { in.tooSoon = true }) }

func (st *Stream) post(put func(*inbox)) {
	st.mu.Lock()
	put(&st.inbox)
	st.mu.Unlock()
	st.tell(said)
}

func (st *Stream) tell(kind uint32) (conflated bool) {
	conflated, wake := st.news.add(kind)
	if wake {
		st.wake()
	}
	return conflated
}

func (st *Stream) collect() (in inbox) {
	st.mu.Lock()
	defer st.mu.Unlock()
	in, st.inbox = st.inbox, inbox{}
	return in
}

// Close ends the stream and its interest in planners.
func (st *Stream) Close() {
	st.workflow()
	st.planners()
	st.release()
	if st.clock != nil {
		st.clock.Stop()
	}
}
