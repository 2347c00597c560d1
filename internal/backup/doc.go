// Package backup writes what the fleet keeps in JetStream into one file, and back.
//
// The file is a tar archive: a head that says what it is, of each stream its configuration and its messages as
// NATS 2.15 snapshots have them, and last the SHA-256 of all that. `sha256sum -c` verifies what was unpacked, and `nats
// stream restore` takes one stream of it. Sequences, times, TTLs and message schedules are kept: a value ends
// and a timer fires when it would have, or at once when that time has passed.
//
// A stream is written as it stood at one moment, batches whole, though others write to it meanwhile. The streams are not
// of one moment, but those that were told of come after those who tell: what happened in between happens again, and is
// recognised as it is after a crash. With no replica running all is of one moment.
package backup
