package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"oc-scheduler/store/kv"
)

// resolveEvery is how often a bucket that took no write is tried again.
const resolveEvery = time.Second

// Refused says which buckets take no writes, and why; nil when none is known of. Run has those tried
// again that have refused one.
func (s *Store) Refused() error {
	var faults []string
	for i, r := range table {
		if err := s.streams[i].Refused(); err != nil {
			faults = append(faults, fmt.Sprintf("bucket %s: %v", r.layout.Bucket, err))
		}
	}
	if faults == nil {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// resolve tries the buckets that have refused a write, until ctx ends: nobody may write there for long.
func (s *Store) resolve(ctx context.Context) error {
	for kv.Sleep(ctx, resolveEvery) == nil {
		var tries sync.WaitGroup
		for _, stream := range s.streams {
			tries.Go(func() { stream.Resolve(ctx) })
		}
		tries.Wait()
	}
	return nil
}
