// Package execution knows what becomes of something that a node has to execute: its states, which of them
// may follow which, and what a node's event changes.
//
// The package is pure: an event that comes twice, late or from another node changes nothing.
package execution
