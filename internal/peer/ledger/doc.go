// Package ledger is what a node knows of its bookings and executions.
//
// Its state is a fold over the events in a watcher.EventStore: each change is recorded there before it
// takes effect, and the state is made again from the records when the node starts. So an order that
// comes twice has one effect, also when the node died in between. Snapshots of the state, which are
// events like the others, keep the start short; what ended long ago is left out of them.
//
// A Ledger is safe for concurrent use. Changes are made one after the other, each with one write that
// is on the disk when the call returns; readers don't wait for it.
package ledger
