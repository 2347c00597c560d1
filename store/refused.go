package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

const (
	// resolveEvery is how often a bucket that took no write is tried again.
	resolveEvery = time.Second
	// nobody is a key that stands for no identifier: views and readers of ends pass over it.
	nobody = "=nobody"
)

func newRefusals() map[string]*jet.Refusal {
	all := map[string]*jet.Refusal{}
	for _, name := range buckets {
		all[name] = new(jet.Refusal)
	}
	return all
}

// Refused says which buckets take no writes, and why; nil when none is known of. Run has those tried
// again that have refused one.
func (s *Store) Refused() error {
	var faults []string
	for _, name := range buckets {
		if err := s.refusals[name].Err(); err != nil {
			faults = append(faults, fmt.Sprintf("bucket %s: %v", name, err))
		}
	}
	if faults == nil {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// resolve tries the buckets that have refused a write, until ctx ends: nobody may write there for long.
func (s *Store) resolve(ctx context.Context) error {
	for sleep(ctx, resolveEvery) == nil {
		var tries sync.WaitGroup
		for _, name := range buckets {
			if s.refusals[name].Doubtful() && s.js.Conn().IsConnected() {
				tries.Go(func() { s.try(ctx, name) })
			}
		}
		tries.Wait()
	}
	return nil
}

// try writes a marker that nobody looks for, and that ends by itself.
func (s *Store) try(ctx context.Context, bucket string) {
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	m := remove(time.Second).message(subjectPrefix(bucket)+nobody, 0)
	m.Header.Del(jetstream.ExpectedLastSubjSeqHeader) // others try, too
	_, err := s.js.PublishMsg(attempt, m)
	if ctx.Err() == nil {
		s.refusals[bucket].Note(s.js.Conn(), err)
	}
}
