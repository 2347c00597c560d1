// Package ncl moves envelopes over NATS.
//
//   - Publisher: plain messages, and requests that are answered or refused.
//   - Responder: the answering side, any number of replicas in a queue group. Requests are handled many
//     at a time, in no order, a bounded number of them; what can't be served is refused with a reason,
//     never left unanswered. Answers go to inboxes (_INBOX.>) and nowhere else, whatever a request says.
//   - OrderedPublisher: a pipeline into JetStream. Messages are stored in the order of the calls; what
//     was acknowledged is always a prefix. It does not try again: after a failure its user resets it and
//     goes back to the first message that was not acknowledged. That one, and any after it, may have been
//     stored all the same: readers tell by the header's Sequence.
//   - Subscriber: reads one consumer in order, one message at a time, and ends when it is in doubt. What
//     follows is its user's decision.
//
// A refusal is an empty answer with the header Oc-Error, so that every version of this program can read
// it whatever else has changed.
//
// Everything is safe for concurrent use. Close may be called at any time, more than once, and returns
// when nothing runs any more or its context ends; what was closed does not begin any more (ErrClosed). Connections stay their owner's. A slow handler holds
// back a Subscriber and nobody else: nothing is asked of the server before there is room for it.
package ncl
