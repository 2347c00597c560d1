// Package compose makes the planners of peers that have nodes: of what these offer, once for the fleet.
//
// It is level triggered. Each replica follows nodes, offers and planners, and compares the planner that stands
// with what the nodes offer now; where they differ, it is written anew by compare-and-swap, and by nobody where
// they do not. So nothing is lost with the replica that saw a change: all of them did. For each peer the replicas
// that live have an order; the first one writes at once, the others give it a moment, and then find nothing left
// to do. A planner is written once a second at most, however many changes come.
//
// A planner that stands is kept up; its life begins where somebody wants it (package demand), and ends as any
// does, or when the peer has no nodes any more.
//
// What is not promised: that the planner shows a change at once, or each of several that follow closely.
package compose
