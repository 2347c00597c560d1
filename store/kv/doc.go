// Package kv keeps values under keys in JetStream streams, and in each replica a View of them in memory.
//
// A Stream holds one or several spaces of keys: a Space is what is stored under one prefix with one
// number of tokens, and of one type. A key-value bucket that the nats CLI shows is a Stream whose
// subjects begin with $KV.<bucket>.
//
// Ordering: a View applies the changes of a space in the order of their revisions and shows, for
// each key, the newest value only. Values in between may be skipped; the last one never is. The views of one
// Feed apply the changes of all their spaces in the order of the stream.
//
// Completeness: what a View shows as absent was absent from what the stream's leader had. In a cluster any
// member may serve it, also one that is behind, or has lost its disk: a View is loaded, and takes for gone what
// it is not shown again, only when it has reached what the leader has. It compares itself with the leader now
// and then, for what is removed from below the bucket (a purge of the stream, a deleted message) leaves no trace
// there.
//
// Concurrency: everything here may be used by many goroutines, but a Batch by one. Each write is a
// compare-and-swap on the key's revision, so that writers of all replicas lose nothing of each other; a
// write whose outcome is unknown (a timeout) is read again and compared before it is reported.
//
// Outages: reads from a View go on while NATS is out of reach, View.Age says how old they are. Writes
// and direct reads then fail with an error that is ErrUnavailable.
//
// What is not promised: that a View already shows a write that was acknowledged a moment ago.
package kv
