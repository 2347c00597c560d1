package watcher

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// BoltStore is an EventStore in a file of bbolt (https://github.com/etcd-io/bbolt). Events that are
// stored at the same time share one write to the disk.
type BoltStore struct {
	options
	path    string
	db      *bbolt.DB
	ledger  atomic.Value // string
	changed signal

	writes  chan *write
	damage  error         // found by a write; the writer's
	closing chan struct{} // closed by Close
	once    sync.Once
	closed  chan struct{} // closed when the file is
	err     error         // of closing the file; read it after closed
}

var (
	_ EventStore = (*BoltStore)(nil)
	_ Renamer    = (*BoltStore)(nil)
)

// OpenBolt opens the ledger in a file, which it makes when there is none. It fails with ErrInUse, with
// ErrForeign or ErrDamaged for a file that is no ledger (any more), or as the file system does.
func OpenBolt(path string, opts ...Option) (*BoltStore, error) {
	o := collect(opts)
	db, ledger, err := open(path, o.openTimeout)
	if err != nil {
		return nil, err
	}
	s := &BoltStore{
		options: o, path: path, db: db,
		writes: make(chan *write), closing: make(chan struct{}), closed: make(chan struct{}),
	}
	s.ledger.Store(ledger)
	go s.writer()
	return s, nil
}

// LedgerID names the numbering.
func (s *BoltStore) LedgerID() string { return s.ledger.Load().(string) }

// Changed is closed when an event is stored after the call, and by Close.
func (s *BoltStore) Changed() <-chan struct{} { return s.changed.wait() }

// Close ends what is being written, closes the file and waits for that until ctx ends. Further calls
// do the same.
func (s *BoltStore) Close(ctx context.Context) error {
	s.once.Do(func() { close(s.closing) })
	select {
	case <-s.closed:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// usable fails with ErrClosed or ctx's error.
func (s *BoltStore) usable(ctx context.Context) error {
	select {
	case <-s.closing:
		return ErrClosed
	default:
		return ctx.Err()
	}
}

// read calls f with what is stored. It fails with ErrClosed, ErrDamaged, ctx's error or as f does.
func (s *BoltStore) read(ctx context.Context, f func(*bbolt.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	err := survive(s.path, func() error { return s.db.View(f) })
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}

// GetEvents reads a page: at most as many events as asked for, at most MaxPageBytes. It fails with
// ErrClosed, ErrDamaged or ctx's error.
func (s *BoltStore) GetEvents(ctx context.Context, r GetEventsRequest) ([]Event, error) {
	p := page{limit: r.limit()}
	err := s.read(ctx, func(tx *bbolt.Tx) error {
		cursor, last, likely := tx.Bucket(eventsBucket).Cursor(), r.AfterSeqNum, ""
		for k, v := cursor.Seek(after(r.AfterSeqNum)); k != nil; k, v = cursor.Next() {
			e, err := decodeEntry(binary.BigEndian.Uint64(k), v, likely)
			if err != nil {
				return err
			}
			if e.SeqNum <= last {
				return fmt.Errorf("%w: event %d follows %d", ErrDamaged, e.SeqNum, last)
			}
			if !p.add(e) {
				break
			}
			last, likely = e.SeqNum, e.ObjectType
		}
		p.own()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p.events, nil
}

// GetLatestEventNum is the number of the newest event. It fails with ErrClosed or ctx's error.
func (s *BoltStore) GetLatestEventNum(ctx context.Context) (newest uint64, err error) {
	err = s.read(ctx, func(tx *bbolt.Tx) error {
		newest = tx.Bucket(eventsBucket).Sequence()
		return nil
	})
	return newest, err
}

// GetCheckpoint reads a position. It fails with ErrCheckpointNotFound, ErrClosed, ErrDamaged or ctx's
// error.
func (s *BoltStore) GetCheckpoint(ctx context.Context, name string) (seqNum uint64, err error) {
	err = s.read(ctx, func(tx *bbolt.Tx) error {
		v := tx.Bucket(checkpointsBucket).Get([]byte(name))
		switch len(v) {
		case 0:
			return ErrCheckpointNotFound
		case 8:
			seqNum = binary.BigEndian.Uint64(v)
			return nil
		}
		return ErrDamaged
	})
	return seqNum, err
}

// key is a number as it is sorted on disk.
func key(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// after is the first key that may follow n; after the last number there is, which no ledger reaches, that itself.
func after(n uint64) []byte { return key(max(n, n+1)) }
