package watcher

import (
	"context"
	"crypto/rand"
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// trimStep is how many events a transaction forgets, so that others don't wait for long.
const trimStep = 1000

// StoreEvent appends an event, which is durable when the call returns. It fails with ErrInvalid,
// ErrClosed or ctx's error, or as the disk does.
func (s *BoltStore) StoreEvent(ctx context.Context, r StoreEventRequest) (Event, error) {
	e, err := r.event()
	if err != nil {
		return Event{}, err
	}
	err = s.write(ctx, func(tx *bbolt.Tx) (err error) {
		events := tx.Bucket(eventsBucket)
		if e.SeqNum, err = events.NextSequence(); err != nil {
			return err
		}
		e.Timestamp = s.clock.Now().Round(0).UTC()
		return events.Put(key(e.SeqNum), encodeEntry(e))
	})
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

// StoreCheckpoint keeps a position. It fails with ErrInvalid, ErrClosed or ctx's error, or as the disk
// does.
func (s *BoltStore) StoreCheckpoint(ctx context.Context, name string, seqNum uint64) error {
	if err := checkName("checkpoint", name); err != nil {
		return err
	}
	return s.write(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(checkpointsBucket).Put([]byte(name), key(seqNum))
	})
}

// Rename gives the ledger another id. It fails with ErrClosed or ctx's error, or as the disk does.
func (s *BoltStore) Rename(ctx context.Context) error {
	next := rand.Text()
	err := s.write(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(metaBucket).Put(ledgerKey, []byte(next)) })
	if err == nil {
		s.ledger.Store(next)
	}
	return err
}

// Trim forgets events up to and with a position, in steps. It fails with ErrClosed or ctx's error, or
// as the disk does; then some may be gone already.
func (s *BoltStore) Trim(ctx context.Context, through uint64) error {
	for more := true; more; {
		err := s.write(ctx, func(tx *bbolt.Tx) (err error) {
			more, err = forget(tx.Bucket(eventsBucket), through, trimStep)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// forget deletes events up to a number, the oldest first, and says whether some are left to delete.
func forget(events *bbolt.Bucket, through, atMost uint64) (more bool, err error) {
	first, _ := events.Cursor().First()
	if first == nil {
		return false, nil
	}
	oldest := binary.BigEndian.Uint64(first)
	through = min(through, events.Sequence())
	for n := oldest; n <= through; n++ {
		if n-oldest == atMost {
			return true, nil
		}
		if err := events.Delete(key(n)); err != nil {
			return false, err
		}
	}
	return false, nil
}
