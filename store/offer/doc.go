// Package offer is what the nodes of one peer offer, and the planner that they make together. It is pure.
//
// An [Offer] is read from a document shaped like a planner's, of no peer and no time. [Compose] makes one
// planner of the offers of a peer's nodes: where two of them offer the same instance of a resource, that of the
// node with the lesser id counts, with what is booked there; and a node whose offer would make the planner
// larger than one may be is left out, as a whole. Equal offers, equal planner, whatever the order.
//
// Slots of bookings that are our own are shown as far as there is room, and do not count ([DecodePlanner]): which of
// them stand is known from the plan, and a node hears a moment later of what is cancelled. That holds for nodes, which
// nobody else books. A slot in a planner that was published by others counts until its booking stands in the plan,
// whatever its id looks like: it may be another installation's.
//
// What is booked on a resource without naming an instance is booked on each instance of it that the same node
// offers, and on no other node's.
package offer
