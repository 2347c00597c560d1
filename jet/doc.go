// Package jet is what is needed of JetStream beyond its client library: configurations that are verified, a
// reader that no message can fool, and what the leader of a stream says stands. It knows no stream by name;
// store and events say what they need.
//
// Ensuring is for many replicas at once, and for a server where all stands already: it asks first, which works in
// a cluster without a leader for making things. Of what stands it changes only a stream that bears an older
// version of its layout, and only by adding. Two replicas that do so at once do the same. One of a release in
// between may overtake the newer one, for the server knows no condition on such a change: MarkStreams, which
// follows each start, makes up for that.
package jet
