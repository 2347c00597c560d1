package httpapi

import (
	"context"
	"errors"
	"strconv"

	"github.com/coder/websocket"

	"oc-scheduler/streams/check"
)

// ending is why a stream ends, and what its client is told. It travels as the cause of the stream's
// context.
type ending struct {
	code   websocket.StatusCode // 0: the connection is cut without a close frame
	reason string               // of the close frame; at most 123 bytes
	label  string               // in the metrics, where it is not the code
}

// The endings, by what the client should do: 1012 reconnect at once, 44xx don't, 1011 later.
var (
	errDone       = &ending{code: websocket.StatusNormalClosure, reason: "done"}
	errDraining   = &ending{code: websocket.StatusServiceRestart, reason: "restart"}
	errFault      = &ending{code: websocket.StatusInternalError, reason: "fault here"}
	errTooBig     = &ending{code: websocket.StatusMessageTooBig, reason: "message too big"}
	errUnreadable = &ending{code: 4400, reason: "the request is not JSON"}
	errNoRequest  = &ending{code: 4400, reason: "no request came in time"}
	errGone       = &ending{code: 4404, reason: "workflow gone"}
	errSlow       = &ending{label: "slow"}
	errNoPong     = &ending{label: "no_pong"}
	errLost       = &ending{label: strconv.Itoa(int(websocket.StatusAbnormalClosure))}
)

// Error is the reason, for logs.
func (e *ending) Error() string { return e.String() + " " + e.reason }

// String is the ending's label in the metrics.
func (e *ending) String() string {
	if e.label != "" {
		return e.label
	}
	return strconv.Itoa(int(e.code))
}

// asEnding is the ending that an error is or stands for.
func asEnding(err error) *ending {
	var e *ending
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, check.ErrWorkflowGone): // the stream has told the client
		return errGone
	case errors.Is(err, context.Canceled): // the carrier's own context ended: the client has gone
		return errLost
	}
	return errFault
}

// endingOf is the reason why a stream's context was cancelled.
func endingOf(ctx context.Context) *ending { return asEnding(context.Cause(ctx)) }

// endingOfRead is what a failed read from a WebSocket says, unless the connection was closed from this
// side: then there is a better reason already.
func endingOfRead(err error) *ending {
	switch {
	case errors.Is(err, websocket.ErrMessageTooBig):
		return errTooBig
	case websocket.CloseStatus(err) != -1: // the library has answered the close frame
		return errDone
	case isTimeout(err): // reads have none: it was the pong to the client's own ping
		return errSlow
	}
	return errLost
}

// endingOfWrite is what a failed write to a client says.
func endingOfWrite(err error) *ending {
	if isTimeout(err) {
		return errSlow
	}
	return errLost
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
