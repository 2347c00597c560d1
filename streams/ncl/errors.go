package ncl

import (
	"errors"

	"oc-scheduler/jet"
)

var (
	// ErrNoResponders says that nobody listens on the subject of a request.
	ErrNoResponders = errors.New("nobody answers")
	// ErrBroken says that a message before this one failed.
	ErrBroken = errors.New("an earlier message failed")
	// ErrReset says that the publisher was reset before the outcome was known.
	ErrReset = errors.New("publisher was reset")
	// ErrClosed says that a publisher was closed before the outcome was known, or a Responder or Subscriber before
	// it was to begin.
	ErrClosed = errors.New("closed")
	// ErrGap says that a message was delivered to somebody else, or lost.
	ErrGap = jet.ErrGap
	// ErrBehind says that a message was delivered from before the place where a reading begins: whoever chose
	// that place is wrong about the stream.
	ErrBehind = errors.New("a message comes from before the start")
	// ErrStarted says that a Responder has listened, or a Subscriber has subscribed, before: each does so once.
	ErrStarted = errors.New("already started")
	// ErrNoAck says that JetStream did not tell in time whether it has stored a message: it may have.
	ErrNoAck = errors.New("no acknowledgement in time")
)

// RefusedError is the answer of a side that could not serve a request.
type RefusedError struct{ Reason string }

// Error is the reason.
func (e *RefusedError) Error() string { return "refused: " + e.Reason }

type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// Permanent marks an error that no further try mends.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanentError{err}
}

// IsPermanent says whether err, or one that it wraps, was marked by Permanent.
func IsPermanent(err error) bool {
	_, permanent := errors.AsType[permanentError](err)
	return permanent
}
