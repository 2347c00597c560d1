// Package logstream carries the output of one execution from the node that has it to a reader
// anywhere: what is there already, and, when asked to follow, what comes until the execution ends.
//
// Files keeps output on the disk of a node, a Listener serves it over NATS, and Open reads it from any
// other process:
//
//	Output ─► Files ─► Listener ─ oc.compute.<node>.logs.<stream> ─► Client.Open ─► Reader
//	                      ▲────── oc.compute.<node>.logs ◄───────────────┘ open, credit, close
//
// Order and completeness: a reader gets the bytes in the order in which they were written, none twice
// and none left out, or an error. Plain NATS loses messages when a link breaks; chunks are numbered,
// and carry their offset in the output, so that a reader sees a loss and asks for the rest anew.
//
// Back-pressure: a reader allows its node to send half a MiB ahead of what was read. A slow one holds
// up nobody, neither other readers nor the execution, whose output is on the disk.
//
// Liveness: each end tells the other every second that it lives. A reader that was silent for 8 s is
// given up by the node; a node that was, by the reader, with ErrNodeGone.
//
// Not promised: output that was beyond the limits of Files, or that its disk did not take, is not
// kept; it says so itself, in a line in brackets.
package logstream
