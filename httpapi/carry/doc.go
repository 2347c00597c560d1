// Package carry carries streams to clients: over WebSockets, or in an answer, as server-sent events or
// as text. What a stream is about it does not know; a Source says what is next, and when it is over.
//
// The seam: a carrier polls its source, one goroutine at a time, and writes the frame that it gets. When
// there is none the carrier rests until the source wakes it, which may be done from anywhere, at any time
// and any number of times; it does not block. An error of Poll ends the stream: an *Ending says how, any
// other is a fault of this side.
//
// Concurrency and back-pressure: a WebSocket has one goroutine, which reads. What its source has to say is
// written by a few writers for all, as far as the client takes it at once, and by a goroutine of its own
// for a client that is slow. Answers have the goroutine of their request. A source is polled for the next
// frame when the client has taken the one before: nothing is queued here. A client that does not take a
// frame within Config.WriteWithin is cut. It costs nobody else anything.
//
// Shutdown: Drain refuses new streams and ends the open ones with Draining, which net/http cannot: it
// forgets WebSockets, and would wait for ever for event streams.
//
// What is not promised: that a frame that was polled arrives. A client that comes again is told by its
// source what it missed.
package carry
