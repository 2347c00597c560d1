// Package logstream carries the output of one execution from the node that has it to a reader
// anywhere: what is there already, and, when asked to follow, what comes until the execution ends.
package logstream
