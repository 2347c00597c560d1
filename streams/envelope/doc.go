// Package envelope is the frame of every message between a compute node and the scheduler.
//
//	byte 0      version of the protocol, 1
//	byte 1–4    CRC-32C (Castagnoli) of all bytes that follow, big endian
//	then        the Header as a JSON object on one line, a line feed, and the payload
//
// The payload of a registered type is JSON, so that an operator can read a stored message. A reader
// refuses, with an error that says so, a frame of another version, a frame that was damaged, and a
// type that its Registry does not know; it never guesses.
//
// Everything here is safe for concurrent use once a Registry has been filled.
package envelope
