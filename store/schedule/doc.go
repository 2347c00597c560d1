// Package schedule says what bookings are made of: a Schedule with its Occurrences, a Hold, and what each of them
// takes of one instance, a Booking; how they are written, both in the bucket and to clients, and which
// occurrences come next.
//
// The package is pure: time and chance come in as arguments.
package schedule
