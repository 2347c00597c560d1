// Package streams holds the long-lived conversations of the scheduler. Its own part is the Hub:
// two registries of who wants to know that a planner or a workflow changed.
//
// Signals are level triggered: a channel holds at most one, says only that something changed since
// the last look, and never carries state. The truth is in the views (package store); whoever is
// woken reads it there. Senders never block, so a slow subscriber costs nobody anything.
package streams
