package carry

import "time"

// Frame is one message to a client. It may be shared by all who get it: Data must not be modified.
type Frame struct {
	Event  string    // of event streams: its name
	ID     string    // of event streams: what a client that comes again sends as Last-Event-ID; may be empty
	Data   []byte    // of event streams: one line
	Stored time.Time // when what it tells was stored, where its carrier's user measures that; else zero
}

// Source is what one client is told. All but the wake that it is given belongs to its carrier, and is
// called by one goroutine at a time.
type Source interface {
	// OnWake has wake called when there may be something to Poll for since a Poll began, or more after its
	// frame. It comes before the first Poll.
	OnWake(wake func())
	// Poll is the next frame, if there is one now. The error, after which nobody polls, ends the stream: an
	// *Ending says how, any other is a fault.
	Poll() (f Frame, ok bool, err error)
	// Close lets go of what the stream needs. It comes once, before the client is told of the end.
	Close()
}

// Conversation is a Source whose client speaks, too.
type Conversation interface {
	Source
	// Take is given each message of the client's, while the source may be polled. The error ends the
	// stream, as that of Poll does.
	Take(message []byte) error
}
