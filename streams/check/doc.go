// Package check is the check stream: subscribe, evaluate, conflate, close. It knows no carrier;
// WebSocket, server-sent events and one-shot requests all pull from it.
//
// A Stream has no goroutine of its own. Its carrier polls it when it is woken, and writes what it gets
// (or calls Next in a loop, which does the waiting). While a write is in progress changes merely leave a
// mark, so bursts are conflated exactly behind a slow write, nothing is queued, and the next frame is
// always the newest state.
//
// Equal questions are evaluated once: results are kept by version, which names all their inputs,
// and every stream that asks the same shares the encoded frame. Frames must not be modified.
//
// What is promised: the first frame after a request is a full result; after any change of the
// workflow, or of a watched peer's planner or bookings, that changes the version, a frame follows. What is not: a frame
// for every change, or equal ComputedAt for equal versions on different replicas.
package check
