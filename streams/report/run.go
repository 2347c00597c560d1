package report

import (
	"context"
	"encoding/json"

	"oc-scheduler/events"
	"oc-scheduler/store/history"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
)

// largest is how long a run may be on the bus with its steps, in bytes: base64 makes it longer by a third.
const largest = 4 << 20

// run tells of a run: on the bus when it was made, and when it has ended.
func (s *Service) run(ctx context.Context, c plan.Change) error {
	if !c.Live() {
		return nil
	}
	r, err := plan.DecodeRun(c.Key, c.Message)
	if err != nil {
		return err
	}
	last, err := s.cfg.Histories.Last(ctx, history.OfRun, r.ID)
	if err != nil {
		return err
	}
	log := r.History()
	news := log.After(last.Seq)
	if len(news) == 0 {
		return nil
	}
	if last.Seq == 0 {
		err = s.say(ctx, r.Made(), "made")
	}
	for _, it := range news {
		if it.Kind == history.OfRun && run.State(it.To).Final() && err == nil {
			err = s.say(ctx, r.Run, "ended")
		}
	}
	if err != nil {
		return err
	}
	return s.cfg.Histories.Append(ctx, history.OfRun, r.ID, last, r.WorkflowID, log)
}

// say says on the bus how a run stands; one that is too large for that without its steps.
func (s *Service) say(ctx context.Context, r run.Run, when string) error {
	payload, err := json.Marshal(r)
	if err == nil && len(payload) > largest {
		r.Steps = nil
		payload, err = json.Marshal(r)
	}
	if err != nil {
		return err
	}
	return s.cfg.Bus.Created(ctx, events.DatatypeExecution, s.cfg.Groups(r.WorkflowID), payload, r.ID+" "+when)
}
