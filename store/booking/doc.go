// Package booking answers the scheduler's question: can this workflow run on these planners in
// this window, and if not, when?
//
// A Request says what is asked. Resolve fixes it to a Window at a given time. A Problem is a
// workflow's needs laid on the planners of its peers: everything about a check but the window, so
// that all requests for one workflow share the work. Problem.Check yields a Result.
//
// The package is pure and deterministic: equal inputs give equal results, and Version names the
// inputs. Time is an argument, in Unix nanoseconds; every interval is half-open.
package booking
