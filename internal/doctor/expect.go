package doctor

import (
	"slices"

	"oc-scheduler/events"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/streams/orchestrator"
)

// expectation is a stream as the replicas need it, whichever package makes it.
type expectation struct {
	jet.Expected
	bucket bool
}

func expectations(copies int) []expectation {
	var all []expectation
	for _, s := range store.Expect(copies) {
		all = append(all, expectation{s, true})
	}
	for _, s := range slices.Concat(events.Expect(copies), orchestrator.Expect(copies), histories.Expect(copies)) {
		all = append(all, expectation{s, false})
	}
	return all
}

// ackPending is the most that a durable consumer asks for.
func ackPending() (most int) {
	for _, x := range expectations(1) {
		for _, durable := range x.Durables {
			most = max(most, durable.MaxAckPending)
		}
	}
	return most
}
