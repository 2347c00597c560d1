// Package nclprotocol is what the two ends of a compute connection share: a node (package compute)
// and the scheduler (package orchestrator). README.md beside it tells states, messages, sequences and
// failures as pictures.
package nclprotocol
