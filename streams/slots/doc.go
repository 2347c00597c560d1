// Package slots tells nodes what is booked on their instances.
//
// A node is told all that one owner takes of one of its instances, as it stands in the plan, with the revision there:
// so it does not matter how often that is told, or in which order. Two do so. Whoever orders an execution tells its
// room before, for then it must be known. And the replica that looks after a node compares, at each change of either,
// what stands in the plan with what it has told the node in its present session, and with what the node offers: it
// tells what is new to it, and has it give back what stands no more. So a node that comes back after days ends as
// the plan has it.
//
// It is bounded by what an owner may book ahead: a message tells one booking, and each is told once in a session
// and once after each change. What a node offers of it is bounded by the node (package ledger), and gives way where
// offers are composed (package offer).
package slots
