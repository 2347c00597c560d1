package run

import "slices"

// Made is the run as it was when it was made, before anything of it began.
func (r Run) Made() Run {
	r.State, r.Reason, r.StartedAt, r.EndedAt, r.LateS = Scheduled, "", nil, nil, nil
	r.Steps = slices.Clone(r.Steps)
	for i, s := range r.Steps {
		r.Steps[i] = Step{ItemID: s.ItemID, State: Waiting, Start: s.Start, End: s.End, Executions: []Execution{}}
	}
	return r
}
