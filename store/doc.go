// Package store keeps the shared state of all replicas in JetStream: one key-value bucket per kind
// of thing, and in each replica a View, a copy of a bucket in memory.
//
// Ordering: a View applies the changes of a bucket in the order of their revisions and shows, for
// each key, the newest value only. Values in between may be skipped; the last one never is.
//
// Concurrency: everything here may be used by many goroutines. Each write is a compare-and-swap on
// the key's revision, so that writers of all replicas lose nothing of each other; a write whose
// outcome is unknown (a timeout) is read again and compared before it is reported.
//
// Outages: reads from a View go on while NATS is out of reach, View.Age says how old they are.
// Writes and direct reads then fail with an error that is ErrUnavailable.
//
// What is not promised: that a View already shows a write that was acknowledged a moment ago.
package store
