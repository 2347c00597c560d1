// Package demand knows who wants which planner, and is the one place where bus events and HTTP
// writes set things off.
//
//   - Interest: the streams of this replica are counted per peer; the first and the last one show
//     in the fleet's list for the peer. Whoever writes the empty list ends the planner's life.
//   - Requests: a wanted planner that nobody has is asked for by the replica that wins the claim,
//     again and again with growing delays while streams wait.
//   - Closes: every end of a planner's life is a marker in its bucket. The fleet's one durable reader
//     of the markers tells the bus, and asks again at once where streams still want the planner.
//   - Sweep: replicas whose lease has ended are taken out of the lists.
//
// Watch never blocks: what it starts is carried out by a reconciler that compares what this replica
// wants with what the buckets say, peer by peer, and retries until they agree. Nothing here relies
// on being the only one: every shared step is a compare-and-swap or comes from a shared durable, a
// repeated step is harmless, and a step lost in a crash is found again by the sweep.
package demand
