// Package client talks to replicas of oc-scheduler over HTTP and WebSockets, as programs elsewhere and the project's own
// command line do.
//
//	c, err := client.New("https://scheduler.example.org", client.WithToken(token))
//	answer, err := c.CheckWorkflow(ctx, "wf-1", client.CheckRequest{DurationS: new(3600.0)})
//
// There is a method for each operation of the OpenAPI document that a program has a use for, and a type for each of its
// schemas, named as there.
//
// # What is promised
//
// A request that a replica refuses returns a *Problem, which may be ErrUnauthorized, ErrNotFound or ErrGone. One that is
// not answered returns an *UnreachableError. InDoubt tells whether what was asked for may have come about all the same.
//
// A request is repeated, with pauses, as long as WithPatience says, when that may help and cannot do harm: when no
// connection came about, when a replica says that it is too busy (429), and, of what has the same effect however often it
// is done, when the connection broke or the replica starts, drains or has lost NATS (502, 503, 504). Bookings are of
// this kind, as each is sent with an Idempotency-Key of its own; a token, and an execution, are not. What is not there
// any more when its deletion is repeated has been deleted.
//
// Streams go on over drains and outages: Follow… after the event that came last, and WatchWorkflow with the answer that
// counts then. They end when nothing more can come, with an error that says why, and when their context ends, with
// its error. Whoever leaves the loop ends the stream. OnLost tells of outages.
//
// All methods may be called by many goroutines at once. None starts a goroutine that outlives it, but for those of
// connections that are kept for later requests: CloseIdleConnections ends them.
//
// # What is not
//
// That an answer is newer than another one that came before it from another replica. That each version of an answer is
// seen: of what changes faster than it is read, the newest comes. That members which a newer replica adds are shown:
// they are passed over; Into keeps a document as it came.
package client
