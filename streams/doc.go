// Package streams holds the long-lived conversations of the scheduler. Its own part is the Hub:
// two registries of who wants to know that a planner or a workflow changed.
//
// Signals are level triggered: they say only that something changed since the last look, and never
// carry state. The truth is in the views (package store); whoever is told reads it there, later:
// nobody who is told may block, so a slow subscriber costs nobody anything.
package streams
