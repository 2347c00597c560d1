// Package plan keeps schedules, holds, what they take of instances, runs and timers: several kinds of keys in the
// stream of one bucket, so that one batch can change all of them.
//
// Two bookings never take the same: whoever takes something of an instance replaces its head, if that is still
// the one that was seen when it was decided. The views of a plan change in the order of the stream, and in each
// batch the heads come last: who has seen a head has seen all that was taken before it. So heads are looked at
// first, bookings after them.
//
// Whoever only gives something back needs no head.
package plan
