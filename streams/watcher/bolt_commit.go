package watcher

import (
	"context"
	"errors"

	"go.etcd.io/bbolt"
)

const (
	maxGroup  = 1000 // writes that share a transaction
	fillLevel = 0.95 // of a page: numbers only grow, so no room is needed between them
)

// write is a change that waits for its transaction.
type write struct {
	apply func(*bbolt.Tx) error
	err   error
	done  chan struct{} // closed when the change is durable, or err says why not
}

// write hands a change to the writer and waits for it. It fails with ErrClosed or ctx's error, or as
// the disk does. When ctx ends while the change is being written, it may have been made nevertheless.
func (s *BoltStore) write(ctx context.Context, apply func(*bbolt.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	w := &write{apply: apply, done: make(chan struct{})}
	select {
	case s.writes <- w:
	case <-s.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writer makes all changes until Close, then closes the file; but not one that a write has found damaged:
// bbolt may hold its lock for ever then, and everything would wait.
func (s *BoltStore) writer() {
	for {
		select {
		case <-s.closing:
			if s.err = s.damage; s.err == nil {
				s.err = s.db.Close()
			}
			s.changed.close()
			close(s.closed)
			return
		case w := <-s.writes:
			s.commit(s.group(w))
		}
	}
}

// group is a write with all others that wait.
func (s *BoltStore) group(first *write) []*write {
	group := []*write{first}
	for len(group) < maxGroup {
		select {
		case w := <-s.writes:
			group = append(group, w)
		default:
			return group
		}
	}
	return group
}

// commit makes the changes of a group in one transaction: all of them, or none.
func (s *BoltStore) commit(group []*write) {
	var grown bool
	change := func(tx *bbolt.Tx) error {
		events := tx.Bucket(eventsBucket)
		events.FillPercent = fillLevel
		before := events.Sequence()
		for _, w := range group {
			if err := w.apply(tx); err != nil {
				return err
			}
		}
		grown = events.Sequence() > before
		return s.retain(events, 2*len(group))
	}
	err := s.damage
	if err == nil {
		err = survive(s.path, func() error { return s.db.Update(change) })
	}
	if errors.Is(err, ErrDamaged) {
		s.damage = err
	}
	if err == nil && grown {
		s.changed.fire()
	}
	for _, w := range group {
		w.err = err
		close(w.done)
	}
}

// retain forgets the oldest of too many events, at most so many at a time.
func (s *BoltStore) retain(events *bbolt.Bucket, atMost int) error {
	newest := events.Sequence()
	if newest <= s.maxEvents {
		return nil
	}
	_, err := forget(events, newest-s.maxEvents, uint64(atMost))
	return err
}
