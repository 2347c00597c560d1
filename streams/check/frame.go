package check

import (
	"encoding/json"
	"net/http"
	"time"

	"oc-scheduler/store/fault"
)

// FrameKind tells results from error frames.
type FrameKind int

// The kinds of a Frame.
const (
	Result FrameKind = iota
	Fault
)

// Frame is one message to a client, encoded once and shared by all streams that get it: JSON must
// not be modified.
type Frame struct {
	Kind    FrameKind
	JSON    []byte
	Version string    // of a result
	Missing bool      // planners are missing
	Stored  time.Time // when the newest planner behind it was stored, if a planner change caused it

	owners []string // that a result names
	err    error    // of a Fault
}

// ErrorFrame is the body of a Fault: what is wrong with a request, or that its workflow is gone.
type ErrorFrame struct {
	Type   string     `json:"type"` // always "error"
	Status int        `json:"status"`
	Title  string     `json:"title"`
	Errors fault.List `json:"errors,omitempty"`
}

func faultFrame(status int, title string, err error, faults fault.List) Frame {
	b, _ := json.Marshal(ErrorFrame{"error", status, title, faults}) // strings and numbers: cannot fail
	return Frame{Kind: Fault, JSON: b, err: err}
}

func refusal(faults fault.List) Frame {
	return faultFrame(http.StatusUnprocessableEntity, "The request has faults", faults, faults)
}

func tooSoonFrame() Frame {
	return faultFrame(http.StatusTooManyRequests, "Too many requests; this one was not taken", errTooSoon, nil)
}

func goneFrame() Frame {
	return faultFrame(http.StatusNotFound, "The workflow was removed", ErrWorkflowGone, nil)
}
