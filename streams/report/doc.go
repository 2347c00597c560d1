// Package report tells what becomes of schedules, holds, bookings and runs, once for the fleet: it passes their logs on
// to their histories, and says on the bus what others have to know of bookings and runs.
//
// Each change of the plan is handed to one replica, at least once, by a consumer that all share; so also the marker of
// what has ended though nobody lived. What a record's log has more than the history is passed on. What is said on the
// bus is said before it is noted as said: of a run the history's items stand for that, of a booking a note of its own.
// So nothing is lost when a replica dies, and what it had said and not noted is said again.
//
// Ordering: the history of a thing has its items in their order. On the bus the last word on a thing is the newest one:
// who finds that another has said something newer meanwhile, so that his own came late, says the newer once more.
//
// What is not promised: that each state of a booking is told. One that another has followed before anybody looked may
// be left out.
package report
