package app

import (
	"context"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/schedule"
)

// Attach gives the HTTP side other parts than the replica's own.
func (r *Replica) Attach(p httpapi.Parts) { r.http.Attach(p) }

// Guarded says whether who asks has to say who he is.
func Guarded(c Config) bool { return c.guarded() }

// ApprovesByHand says whether new nodes wait for an operator.
func ApprovesByHand(c Config) bool { return c.approvesByHand() }

// BookOnce is one try of Book under a name.
func (r *Replica) BookOnce(ctx context.Context, workflowID string, body []byte, name string) error {
	request, err := schedule.DecodeRequest(body, schedule.ScheduleBody)
	if err != nil {
		return err
	}
	return r.engine.Load().book(ctx, workflowID, request, name)
}
