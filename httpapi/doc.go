// Package httpapi is the HTTP interface: routes, the carriers of check streams (WebSocket and
// server-sent events) and of the output of executions (text and server-sent events), errors as
// problems (RFC 9457), health and metrics.
//
// State: the server answers from the first moment. Until Attach it answers 503, but for the routes
// of operators; from then on reads are answered from the views, also while NATS is out of reach, and
// then bear their Age.
//
// Concurrency and back-pressure: a WebSocket has one goroutine, which reads; what its stream has to say
// is written by a few writers for all, as far as the client takes it at once, and by a goroutine of its
// own for one that is slow. Event streams have the goroutine of their request. Nothing is queued for a
// client: while a write is in progress the stream behind it conflates, and a client that does not take a
// frame within Config.WriteWithin is cut. It costs nobody else anything. Of output nothing is left out
// or kept here: what a client does not take, its node does not send.
//
// Shutdown: Retire turns /readyz to 503; Drain closes the streams with 1012, which net/http cannot;
// Shutdown stops listening and waits for the requests in flight. In this order nothing is lost: a
// client sees a close code that tells it to reconnect.
//
// No middleware here may wrap or time out whole requests (compression, timeouts): streams are
// requests too.
package httpapi
