// Package watcher is a node's ledger of events and those who follow it.
//
// An EventStore numbers events from 1 without gaps and never gives a number twice; LedgerID names
// that numbering. A Watcher hands the events after a position to a handler, one after the other.
package watcher
