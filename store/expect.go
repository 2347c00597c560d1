package store

import "oc-scheduler/jet"

// Expect lists what Open needs on the server at a replication of 1, 3 or 5.
func Expect(replicas int) []jet.Expected {
	all := make([]jet.Expected, 0, len(buckets))
	for _, bucket := range buckets {
		e := jet.Expected{Stream: layout(bucket, replicas)}
		if bucket == PlannersBucket {
			ends := endsConsumer()
			e.Durable = &ends
		}
		all = append(all, e)
	}
	return all
}
