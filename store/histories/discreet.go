package histories

import (
	"slices"

	"oc-scheduler/store/access"
	"oc-scheduler/store/history"
	"oc-scheduler/store/run"
)

// others stands in place of who has displaced something.
const others = "others"

// Discreet is a log as a subject may know it: who has displaced something by preemption may be of groups in which he is
// not. What is stored names him.
func Discreet(who *access.Subject, log history.Log) history.Log {
	if who.Everywhere() {
		return log
	}
	log = slices.Clone(log)
	for i := range log {
		if word, _ := run.WordOf(log[i].Reason); word == run.Displaced {
			log[i].By = others
		}
	}
	return log
}
