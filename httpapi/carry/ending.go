package carry

import (
	"context"
	"errors"
	"strconv"

	"github.com/coder/websocket"
)

// Ending is why a stream ends, and what the client of a WebSocket is told. It travels as an error, and as
// the cause of a context.
type Ending struct {
	Code   websocket.StatusCode // 0: the connection is cut without a close frame
	Reason string               // of the close frame; at most 123 bytes
	Last   *Frame               // of event streams, which have no close frame: what is told in the end; nil: nothing
	label  string               // in the metrics, where it is not the code
}

// The endings that carriers know themselves, by what the client should do: 1012 reconnect at once, 1011 later.
var (
	Done     = &Ending{Code: websocket.StatusNormalClosure, Reason: "done"}
	Draining = &Ending{Code: websocket.StatusServiceRestart, Reason: "restart"}
	Fault    = &Ending{Code: websocket.StatusInternalError, Reason: "fault here"}
	tooBig   = &Ending{Code: websocket.StatusMessageTooBig, Reason: "message too big"}
	slow     = &Ending{label: "slow"}
	noPong   = &Ending{label: "no_pong"}
	lost     = &Ending{label: strconv.Itoa(int(websocket.StatusAbnormalClosure))}
)

// Error is the reason, for logs.
func (e *Ending) Error() string { return e.String() + " " + e.Reason }

// String is the ending's label in the metrics.
func (e *Ending) String() string {
	if e.label != "" {
		return e.label
	}
	return strconv.Itoa(int(e.Code))
}

// asEnding is the ending that an error is or stands for.
func asEnding(err error) *Ending {
	var e *Ending
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled): // the carrier's own context ended: the client has gone
		return lost
	}
	return Fault
}

// endingOf is the reason why a stream's context was cancelled.
func endingOf(ctx context.Context) *Ending { return asEnding(context.Cause(ctx)) }

// endingOfRead is what a failed read from a WebSocket says, unless the connection was closed from this
// side: then there is a better reason already.
func endingOfRead(err error) *Ending {
	switch {
	case errors.Is(err, websocket.ErrMessageTooBig):
		return tooBig
	case websocket.CloseStatus(err) != -1: // the library has answered the close frame
		return Done
	case isTimeout(err): // reads have none: it was the pong to the client's own ping
		return slow
	}
	return lost
}

// endingOfWrite is what a failed write to a client says.
func endingOfWrite(err error) *Ending {
	if isTimeout(err) {
		return slow
	}
	return lost
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
