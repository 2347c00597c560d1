// Package store is the shared state of all replicas: one bucket per kind of thing, each a row of the table. What
// keeps the values and follows them is package kv, whose promises hold here; what a planner's life is, package
// planners.
package store
