// Package httpapi is the HTTP interface: routes, errors as problems (RFC 9457), health and metrics. Check
// streams and the output of executions are carried by package carry, by WebSocket, as server-sent events or
// as text; here is what they say.
//
// State: the server answers from the first moment. Until Attach it answers 503, but for the routes
// of operators; from then on reads are answered from the views, also while NATS is out of reach, and
// then bear their Age.
//
// Concurrency and back-pressure: requests have the goroutines of net/http; what carries streams says for
// itself. Nothing is queued for a client: while a write is in progress the stream behind it conflates. Of
// output nothing is left out or kept here: what a client does not take, its node does not send.
//
// Shutdown: Retire turns /readyz to 503; Drain closes the streams with 1012, which net/http cannot;
// Shutdown stops listening and waits for the requests in flight. In this order nothing is lost: a
// client sees a close code that tells it to reconnect.
//
// No middleware here may wrap or time out whole requests (compression, timeouts): streams are
// requests too.
package httpapi
