package plan

import (
	"oc-scheduler/store/kv"
	"oc-scheduler/store/schedule"
)

// Listed is what a replica keeps of a schedule: all but its occurrences and its workflow.
type Listed = *schedule.Schedule

func decodeListed(key kv.Key, m kv.Message) (Listed, error) {
	r, err := DecodeSchedule(key, m)
	if err != nil {
		return nil, err
	}
	r.Occurrences = nil
	return &r.Schedule, nil
}
