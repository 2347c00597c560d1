// Package dispatcher delivers the events of a ledger in order through an OrderedPublisher, many in
// flight at a time, and remembers how far the other side has acknowledged them.
//
// A message's Source is the ledger, its Sequence the event's number, and its Previous the Sequence of
// the message before it, at first that of the last one that the other side has. When a message fails,
// or nothing is acknowledged for too long, the Dispatcher begins again after the last one that was
// acknowledged: what the stream has stored nevertheless comes twice, with the same Sequence and Previous.
//
// A Dispatcher lives as long as one session. It does not close its publisher or its store.
package dispatcher
