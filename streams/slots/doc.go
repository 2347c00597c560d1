// Package slots tells nodes what is booked on their instances.
//
// A node is told all that one owner takes of one of its instances, as it stands in the plan, with the revision there:
// so it does not matter how often that is told, or in which order.
package slots
