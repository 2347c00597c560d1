// Package ncl moves envelopes over NATS: plain publishing and requests (Publisher), an answering
// side (Responder), an ordered pipeline into JetStream (OrderedPublisher), and an ordered reader of
// what JetStream keeps for one receiver (Subscriber).
package ncl
