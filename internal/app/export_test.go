package app

import "oc-scheduler/httpapi"

// Attach gives the HTTP side other parts than the replica's own.
func (r *Replica) Attach(p httpapi.Parts) { r.http.Attach(p) }
