package doctor

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"oc-scheduler/store"
)

// values looks for what stands in the buckets and cannot be read.
func (e *exam) values(ctx context.Context) {
	total, standing, broken := 0, 0, []string(nil)
	buckets := []struct {
		name string
		read func() ([]string, int, error)
	}{
		{store.PlannersBucket, func() ([]string, int, error) { return brokenOf(store.ReadPlanners(ctx, e.js)) }},
		{store.WorkflowsBucket, func() ([]string, int, error) { return brokenOf(store.ReadWorkflows(ctx, e.js)) }},
		{store.InterestBucket, func() ([]string, int, error) { return brokenOf(store.ReadInterest(ctx, e.js)) }},
		{store.RequestsBucket, func() ([]string, int, error) { return brokenOf(store.ReadRequests(ctx, e.js)) }},
		{store.ReplicasBucket, func() ([]string, int, error) { return brokenOf(store.ReadLeases(ctx, e.js)) }},
		{store.NodesBucket, func() ([]string, int, error) { return brokenOf(store.ReadNodes(ctx, e.js)) }},
		{store.LivenessBucket, func() ([]string, int, error) { return brokenOf(store.ReadLiveness(ctx, e.js)) }},
		{store.ExecutionsBucket, func() ([]string, int, error) { return brokenOf(store.ReadExecutions(ctx, e.js)) }},
		{store.PartitionsBucket, func() ([]string, int, error) { return brokenOf(store.ReadPartitions(ctx, e.js)) }},
	}
	var keys []string
	for _, bucket := range buckets {
		if e.streams["KV_"+bucket.name] == nil {
			continue // told already
		}
		faults, n, err := bucket.read()
		if err != nil {
			e.unreadable(err)
			return
		}
		total, standing = total+n, standing+1
		for _, fault := range faults {
			broken = append(broken, bucket.name+" "+fault)
			key, _, _ := strings.Cut(fault, ": ")
			keys = append(keys, bucket.name+" "+key)
		}
	}
	if len(broken) > 0 {
		e.warn(fmt.Sprintf("%s that cannot be read and count as absent: %s", counted(len(broken), "value"), some(broken)),
			e.each("kv get", keys, "--raw")+" shows it; write it anew, or "+e.each("kv del", keys, "-f"))
		return
	}
	e.ok("%s in %s, all readable", counted(total, "value"), counted(standing, "bucket"))
}

// brokenOf lists, as "key: fault", what cannot be read.
func brokenOf[T any](readings iter.Seq2[store.Reading[T], error]) (faults []string, total int, err error) {
	for r, err := range readings {
		if err != nil {
			return nil, 0, err
		}
		total++
		if r.Err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", r.Key, r.Err))
		}
	}
	return faults, total, nil
}
