package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store"
)

// lookAgain is how often leases are looked at that are about to end.
const lookAgain = 500 * time.Millisecond

// nobodyLives refuses to restore under replicas that live: they would take the removal of what stands for true, end
// what is watched, and write beside. One that has said that it drains is waited for: it ends, and its lease after it.
func nobodyLives(ctx context.Context, js jetstream.JetStream, waits func([]string)) error {
	bucket, err := js.KeyValue(ctx, store.ReplicasBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	for told := false; err == nil; told = true {
		var living, draining []string
		if living, draining, err = leases(ctx, bucket); err != nil {
			break
		}
		if len(living) > 0 {
			return fmt.Errorf("replicas live (%s): stop them all first; the lease of one that was killed ends within 30 s", strings.Join(living, ", "))
		}
		if len(draining) == 0 {
			return nil
		}
		if !told && waits != nil {
			waits(draining)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
	}
	return fmt.Errorf("bucket %s: %w", store.ReplicasBucket, err)
}

// leases are the replicas that hold one, in order; those apart that drain.
func leases(ctx context.Context, bucket jetstream.KeyValue) (living, draining []string, err error) {
	names, err := bucket.Keys(ctx)
	if errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, nil, nil
	}
	slices.Sort(names)
	for _, name := range names {
		value, err := bucket.Get(ctx, name)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		var l store.Lease
		if json.Unmarshal(value.Value(), &l) == nil && l.Draining {
			draining = append(draining, name)
		} else {
			living = append(living, name)
		}
	}
	return living, draining, err
}
