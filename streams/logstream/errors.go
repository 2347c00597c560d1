package logstream

import "errors"

var (
	// ErrNotFound says that the node knows no such execution, or keeps its output no longer.
	ErrNotFound = errors.New("no output of that execution")
	// ErrNodeGone says that the node does not answer (any more).
	ErrNodeGone = errors.New("the node does not answer")
	// ErrLost says that output was lost on its way, again and again, or that the connection to NATS was
	// away for too long. What was read is whole as far as it goes.
	ErrLost = errors.New("output was lost on its way")
	// ErrExists says that there is output of that execution already.
	ErrExists = errors.New("there is output of that execution already")
	// ErrStarted says that a Listener was started before.
	ErrStarted = errors.New("log listener was started already")
	// ErrClosed says that a reader or an output was closed, or a Listener stopped.
	ErrClosed = errors.New("closed")
)
