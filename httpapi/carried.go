package httpapi

import (
	"errors"
	"time"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/streams/check"
)

// The endings of check streams, by what the client should do: not come again.
var (
	errUnreadable = &carry.Ending{Code: statusUnreadable, Reason: "the request is not JSON"}
	errNoRequest  = &carry.Ending{Code: statusUnreadable, Reason: "no request came in time"}
	errRightEnded = &carry.Ending{
		Code: 4401, Reason: "the right to this has ended",
		Last: &carry.Frame{Event: eventError, Data: []byte(`{"type":"error","status":401,"title":"The right to this has ended"}`)},
	}
	errGone = &carry.Ending{Code: 4404, Reason: "workflow gone"}
)

const statusUnreadable = 4400

// The names of events; a WebSocket's frames say the same in their type.
const (
	eventResult = "result"
	eventError  = "error"
)

// carried is a check stream as its carrier sees it.
type carried struct {
	*check.Stream
	pace *pace // of requests; nil: none
}

// Poll implements carry.Source.
func (s carried) Poll() (carry.Frame, bool, error) {
	f, ok, err := s.Stream.Poll()
	if errors.Is(err, check.ErrWorkflowGone) { // the stream has told the client
		err = errGone
	}
	frame := carry.Frame{Event: eventError, Data: f.JSON}
	if f.Kind == check.Result {
		frame = carry.Frame{Event: eventResult, ID: f.Version, Data: f.JSON, Stored: f.Stored}
	}
	return frame, ok, err
}

// Take implements carry.Conversation: a message is a request, or the faults of one.
func (s carried) Take(message []byte) error {
	if s.pace != nil && s.pace.take(access.Read, time.Now()) != nil {
		s.TooSoon()
		return nil
	}
	request, err := booking.DecodeRequest(message)
	var faults fault.List
	switch {
	case err == nil:
		s.Submit(request)
	case errors.As(err, &faults):
		s.Refuse(faults)
	default:
		return errUnreadable
	}
	return nil
}

// resumed is for a client that comes again: a result of the version that it had last is left out.
type resumed struct {
	carried
	last string // Last-Event-ID; empty once a frame came
}

// Poll implements carry.Source.
func (s *resumed) Poll() (carry.Frame, bool, error) {
	f, ok, err := s.carried.Poll()
	if !ok || s.last == "" {
		return f, ok, err
	}
	known := f.Event == eventResult && f.ID == s.last
	if s.last = ""; known {
		return s.carried.Poll()
	}
	return f, ok, err
}
