// Package planners is the bucket of what each peer still has. A planner lives for a fixed time from its first
// insertion, however often it is replaced; its end, whoever brings it about, is a marker that the fleet reads
// once ([Planners.Ends]).
//
// Ordering: of two planners the one that was generated later wins, of equal ones the later arrival; what arrived
// in a life that is over is told by the numbers of the bus (past).
package planners
