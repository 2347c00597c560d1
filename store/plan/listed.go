package plan

import (
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// Listed is what a replica keeps of a schedule: all but its occurrences and its workflow.
type Listed = *schedule.Schedule

func decodeListed(key kv.Key, m kv.Message) (Listed, error) {
	r, err := decodeSchedule(key, m)
	if err != nil {
		return nil, err
	}
	listed := r.Schedule // apart, so that the rest is not kept with it
	listed.Occurrences = nil
	return &listed, nil
}

// ListedRun is what a replica keeps of a run: all but its steps and what it needs to go on.
type ListedRun = *run.Run

func decodeListedRun(key kv.Key, m kv.Message) (ListedRun, error) {
	r, err := DecodeRun(key, m)
	if err != nil {
		return nil, err
	}
	listed := r.Run // apart, so that the rest is not kept with it
	listed.Steps = nil
	return &listed, nil
}
