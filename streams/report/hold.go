package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"oc-scheduler/store/histories"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// hold tells of a hold, also of the end of one that nobody has ended.
func (s *Service) hold(ctx context.Context, c plan.Change) error {
	id := c.Key.ID()
	if !schedule.OfHold.Is(id) {
		return nil
	}
	last, err := s.cfg.Histories.Last(ctx, history.OfHold, id)
	if err != nil {
		return err
	}
	workflowID, log, err := holdLog(c, id, last)
	if err != nil {
		return err
	}
	return s.cfg.Histories.Append(ctx, history.OfHold, id, last, workflowID, log)
}

// holdLog is the log of a hold, as its record has it, or the marker in its place, or as the marker's being there tells.
func holdLog(c plan.Change, id string, last histories.Last) (workflowID string, log history.Log, err error) {
	told := c.Header.Get(plan.HeaderLog)
	switch {
	case c.Live():
		h, err := plan.DecodeHold(c.Key, c.Message)
		return h.WorkflowID, h.Log, err
	case told != "":
		if err := json.Unmarshal([]byte(told), &log); err != nil {
			return "", nil, fmt.Errorf("%w: log of hold %s: %w", kv.ErrUndecodable, id, err)
		}
		return cmp.Or(c.Header.Get(plan.HeaderWorkflow), last.WorkflowID), log, nil
	case last.To == string(schedule.Confirmed):
	default:
		var h schedule.HoldRecord
		if last.Seq > 0 {
			h.Log = history.Log{last.Item}
		} else { // it has gone before anybody looked
			h.Note(schedule.Held, "", "", schedule.MadeAt(id))
		}
		if end := schedule.HoldState(h.Log[len(h.Log)-1].To); end == schedule.Held {
			h.Note(endOf(c), "", history.BySelf, c.Stored)
		}
		log = h.Log
	}
	return last.WorkflowID, log, nil
}

// endOf is what a marker without a log says of the end: an operator may have removed the key.
func endOf(c plan.Change) schedule.HoldState {
	if c.Lapsed() {
		return schedule.Expired
	}
	return schedule.Released
}
