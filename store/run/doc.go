// Package run knows what becomes of a run: a workflow at one time, on instances that were booked for it.
//
// [Advance] is the whole of it: a record, what happened and the time go in; the record that follows, the
// orders that are to go out, the bookings that end now and the next time to look come out. Whoever calls it
// stores the record and the timer together, and then sends the orders.
//
//	run:  scheduled ─► starting ─► running ─► completed
//	          │            └──────────┴─────► failed, cancelled
//	          └─────────────────────────────► missed, cancelled
//	step: waiting ──► running ──► completed
//	          └──────────┴──────► failed, cancelled
//
// What holds, in whatever order things happen, and however often each is told:
//
//   - An event that was applied before changes nothing, and neither does one that is out of date.
//   - The name of an execution follows from run, step, compute item and attempt: an order that goes out twice,
//     because nobody noted that it was sent, has its effect once. Orders go out again until they are known to
//     have come.
//   - A run has ended when nothing of it runs any more. A node that does not say so is waited for for the grace,
//     which begins anew when nobody was there to look at its end; then the order to end it stands in the node's
//     stream.
//   - What was over before its booking was is in time, however late that is told; by NATS's clock.
//   - What ends early frees its bookings, each when nothing runs in it any more.
//   - What is final stays so. Executions are still told to end that turn up afterwards.
//
// The package is pure: no I/O, no goroutine, no clock.
package run
