package backup

import (
	"slices"

	"oc-scheduler/events"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/orchestrator"
)

// LeftOut are the buckets that are not kept, and why. The first replica makes them again.
var LeftOut = map[string]string{
	store.ReplicasBucket:   "which replicas live: 30 s",
	store.InterestBucket:   "who watches now",
	store.RequestsBucket:   "which planners were asked for: 10 min",
	store.LivenessBucket:   "which nodes live: their next heartbeat tells",
	store.PartitionsBucket: "how far events of nodes were read: their cursors in executions tell",
	store.SessionsBucket:   "who is logged in on the page: a log-out must not be undone",
}

// kept are the streams that are written, in order: executions come before the plan that is told of them, the plan
// before its history, and positions in the streams of the bus and of nodes before those.
func kept(copies int) []jet.Expected {
	all := slices.Concat(store.Expect(copies), histories.Expect(copies), events.Expect(copies), orchestrator.Expect(copies))
	all = slices.DeleteFunc(all, func(x jet.Expected) bool {
		_, out := LeftOut[bucketOf(x.Stream.Name)]
		return out
	})
	executions := slices.IndexFunc(all, func(x jet.Expected) bool { return x.Stream.Name == kv.StreamName(store.ExecutionsBucket) })
	first := all[executions]
	return slices.Insert(slices.Delete(all, executions, executions+1), 0, first)
}

func bucketOf(stream string) string {
	for bucket := range LeftOut {
		if kv.StreamName(bucket) == stream {
			return bucket
		}
	}
	return ""
}
