package watcher

import (
	"context"
	"crypto/rand"
	"sync"
)

// MemoryStore is an EventStore that ends with its process, for tests and for nodes that keep nothing.
type MemoryStore struct {
	options
	changed signal

	mu          sync.Mutex
	ledger      string
	closed      bool
	newest      uint64
	events      []Event // contiguous, the last one is newest
	checkpoints map[string]uint64
}

var (
	_ EventStore = (*MemoryStore)(nil)
	_ Renamer    = (*MemoryStore)(nil)
)

// NewMemoryStore makes an empty ledger.
func NewMemoryStore(opts ...Option) *MemoryStore {
	return &MemoryStore{options: collect(opts), ledger: rand.Text(), checkpoints: map[string]uint64{}}
}

// LedgerID names the numbering.
func (s *MemoryStore) LedgerID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger
}

// Rename gives the ledger another id. It fails with ErrClosed or ctx's error.
func (s *MemoryStore) Rename(ctx context.Context) error {
	return s.locked(ctx, func() error {
		s.ledger = rand.Text()
		return nil
	})
}

// Changed is closed when an event is stored after the call, and by Close.
func (s *MemoryStore) Changed() <-chan struct{} { return s.changed.wait() }

// locked calls f under the mutex unless the store is closed or ctx has ended.
func (s *MemoryStore) locked(ctx context.Context, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// StoreEvent appends an event. It fails with ErrInvalid, ErrClosed or ctx's error.
func (s *MemoryStore) StoreEvent(ctx context.Context, r StoreEventRequest) (Event, error) {
	e, err := r.event()
	if err != nil {
		return Event{}, err
	}
	err = s.locked(ctx, func() error {
		s.newest++
		e.SeqNum, e.Timestamp = s.newest, s.clock.Now().Round(0).UTC()
		s.events = append(s.events, e)
		if surplus := len(s.events) - int(s.maxEvents); surplus > 0 {
			s.forgetLocked(surplus)
		}
		return nil
	})
	if err != nil {
		return Event{}, err
	}
	s.changed.fire()
	return e, nil
}

// forgetLocked drops the n oldest events.
func (s *MemoryStore) forgetLocked(n int) {
	clear(s.events[:n])
	s.events = s.events[n:]
}

// indexLocked is where the events after a position begin.
func (s *MemoryStore) indexLocked(after uint64) int {
	if after >= s.newest {
		return len(s.events)
	}
	return max(len(s.events)-int(s.newest-after), 0)
}

// GetEvents reads a page: at most as many events as asked for, at most MaxPageBytes. It fails with
// ErrClosed or ctx's error.
func (s *MemoryStore) GetEvents(ctx context.Context, r GetEventsRequest) ([]Event, error) {
	p := page{limit: r.limit()}
	err := s.locked(ctx, func() error {
		for _, e := range s.events[s.indexLocked(r.AfterSeqNum):] {
			if !p.add(e) {
				break
			}
		}
		return nil
	})
	return p.events, err
}

// GetLatestEventNum is the number of the newest event. It fails with ErrClosed or ctx's error.
func (s *MemoryStore) GetLatestEventNum(ctx context.Context) (newest uint64, err error) {
	err = s.locked(ctx, func() error { newest = s.newest; return nil })
	return newest, err
}

// StoreCheckpoint keeps a position. It fails with ErrInvalid, ErrClosed or ctx's error.
func (s *MemoryStore) StoreCheckpoint(ctx context.Context, name string, seqNum uint64) error {
	if err := checkName("checkpoint", name); err != nil {
		return err
	}
	return s.locked(ctx, func() error { s.checkpoints[name] = seqNum; return nil })
}

// GetCheckpoint reads a position. It fails with ErrCheckpointNotFound, ErrClosed or ctx's error.
func (s *MemoryStore) GetCheckpoint(ctx context.Context, name string) (seqNum uint64, err error) {
	err = s.locked(ctx, func() error {
		var found bool
		if seqNum, found = s.checkpoints[name]; !found {
			return ErrCheckpointNotFound
		}
		return nil
	})
	return seqNum, err
}

// Trim forgets events up to and with a position. It fails with ErrClosed or ctx's error.
func (s *MemoryStore) Trim(ctx context.Context, through uint64) error {
	return s.locked(ctx, func() error { s.forgetLocked(s.indexLocked(through)); return nil })
}

// Close releases the store. It does not fail.
func (s *MemoryStore) Close(context.Context) error {
	s.mu.Lock()
	s.closed, s.events = true, nil
	s.mu.Unlock()
	s.changed.close()
	return nil
}
