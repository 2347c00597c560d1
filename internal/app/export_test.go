package app

import "oc-scheduler/httpapi"

// Attach gives the HTTP side other parts than the replica's own.
func (r *Replica) Attach(p httpapi.Parts) { r.http.Attach(p) }

// Guarded says whether who asks has to say who he is.
func Guarded(c Config) bool { return c.guarded() }

// ApprovesByHand says whether new nodes wait for an operator.
func ApprovesByHand(c Config) bool { return c.approvesByHand() }
