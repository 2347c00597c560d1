// Package jet is what is needed of JetStream beyond its client library: configurations that are
// verified, a reader that no message can fool, and what the leader of a stream says stands. It knows no stream by name; store and events say what they need.
//
// Ensuring is for many replicas at once, and for a server where all stands already: it asks first,
// which works in a cluster without a leader for making things. It changes nothing that stands.
package jet
