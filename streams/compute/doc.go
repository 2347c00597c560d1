// Package compute is a node's end of the connection to the scheduler.
package compute
