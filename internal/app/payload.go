package app

import (
	"context"

	"oc-scheduler/internal/natsd"
)

// warnOfPayload tells, once, of a NATS server that takes less than what may have to be sent through it.
func (r *Replica) warnOfPayload(ctx context.Context) {
	if limit := r.nc.MaxPayload(); limit < natsd.MaxPayload {
		r.log.WarnContext(ctx, "max_payload of the NATS server is too low: planners, workflows and events above it cannot be sent or stored, and dead letters lose their body",
			"max_payload", limit, "needed", natsd.MaxPayload)
	}
}
