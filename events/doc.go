// Package events is this product's end of the OpenCloud bus: three core NATS subjects that carry
// JSON envelopes. What arrives is kept in the stream OC_BUS and read through one durable consumer
// that all replicas share.
//
// The Listener hands every accepted event to a Handler at least once, to one replica of the fleet at
// a time. Events of one peer, and events of one workflow, are handled in the order in which they
// arrived; different peers proceed in parallel. Order is not promised across a retry, a redelivery
// or a replica that died: handlers order by content, with the Arrival.
//
// What cannot be used is kept once, as it came, in OC_BUS_DEAD, and never delivered again. What
// failed for a passing reason is delivered again, later and later. What is held in memory is
// bounded, so a slow handler leaves events on the server, not here. Nothing that arrives ends the
// Listener.
package events
