package compute

import "errors"

var (
	// ErrStarted says that what was to be started had been already.
	ErrStarted = errors.New("already started")
	// ErrClosed says that what was to be started had been closed or stopped; that is for good.
	ErrClosed = errors.New("already closed")
	// ErrHeartbeatsMissed says that no heartbeat was answered for too long.
	ErrHeartbeatsMissed = errors.New("heartbeats are not answered")
	// ErrHandshakeRequired says that the scheduler asked for a new handshake.
	ErrHandshakeRequired = errors.New("the scheduler asks for a new handshake")
	// ErrConnectionLost says that the connection to NATS was lost or closed.
	ErrConnectionLost = errors.New("connection to NATS lost")

	errDispatcherEnded = errors.New("events are not sent any more")
)
