// Package orchestrator is the scheduler's end of the compute connection: the other side of package
// compute, in every replica at once.
//
//   - Control: handshakes, heartbeats, updates and goodbyes are answered by whichever replica of the
//     queue group the server picks. All that it has to know is in the buckets nodes and liveness, so the
//     next request may go to another one.
//   - Liveness: a node whose key has run out is marked lost, once for the fleet, by a compare-and-swap.
//     A replica believes in an absence only after it has itself been in touch for as long as the node
//     may be silent: an outage of ours is nobody's death.
//   - Events: the nodes are split into partitions, each held by one replica, which reads the stream of
//     events and hands them, node by node and in order, to a Handler. What the Handler changes and how
//     far the node's events were handled are stored in one atomic batch, so that an event has its effect
//     once, however often it is read and by however many replicas.
//   - Orders go into the stream that a node reads, in the order in which they were sent. None goes to two
//     ledgers of a node; what no ledger will tell of is ended by the holder of the node's partition.
//
// What is promised: events of one node are handled in the order of its ledger without gaps, at least
// once, and with effect exactly once. A gap makes the scheduler ask for a handshake, after which the
// node sends again what is missing. What is not: any order between nodes.
//
// Run blocks; everything else may be called from many goroutines. Errors of NATS are kv.ErrUnavailable.
package orchestrator
