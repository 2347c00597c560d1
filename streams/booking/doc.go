// Package booking decides what is booked: it lays requests on planners and on what stands in the plan, and
// commits what fits.
//
// Two bookings never take the same: a commit is made only if nothing was taken of the instances since it was
// decided, and else decided anew. A commit is all or nothing, over all peers and occurrences of one call. When a
// call has returned, this replica's views show what it did; those of the others do within milliseconds. What was
// booked, held or cancelled may be acted on at any replica at once: single things are read from NATS, not from
// the views.
//
// Time is NATS's. A hold counts until the moment at which it ends, whatever becomes of its keys.
package booking
