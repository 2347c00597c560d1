package watcher

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

var (
	// ErrInUse says that a ledger's file is open elsewhere.
	ErrInUse = errors.New("ledger is in use by another process")
	// ErrForeign says that a file is no ledger, or one that this program can't read.
	ErrForeign = errors.New("file is no ledger of events")
)

// What the file holds. The number of the newest event is eventsBucket's own sequence, which outlives
// the events.
var (
	metaBucket        = []byte("meta")
	eventsBucket      = []byte("events")      // number → entry
	checkpointsBucket = []byte("checkpoints") // name → number
	formatKey         = []byte("format")
	ledgerKey         = []byte("ledger")
	fileFormat        = "oc-ledger/1"
)

// open opens a file and reads whose it is.
func open(path string, timeout time.Duration) (db *bbolt.DB, ledger string, err error) {
	err = survive(path, func() (err error) {
		db, ledger, err = openFile(path, timeout)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return db, ledger, nil
}

func openFile(path string, timeout time.Duration) (*bbolt.DB, string, error) {
	_, missing := os.Stat(path)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: timeout, FreelistType: bbolt.FreelistMapType})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, "", fmt.Errorf("%s: %w", path, ErrInUse)
	case isFileError(err):
		return nil, "", err
	case err != nil:
		return nil, "", fmt.Errorf("%s: %w: %w", path, ErrForeign, err)
	}
	ledger, err := identify(db)
	if err == nil && missing != nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}
	return db, ledger, nil
}

func isFileError(err error) bool {
	_, is := errors.AsType[*os.PathError](err)
	return is
}

// identify reads the ledger's id. A file without anything in it becomes a new ledger, all at once.
func identify(db *bbolt.DB) (ledger string, err error) {
	err = db.View(func(tx *bbolt.Tx) error {
		ledger, err = ledgerOf(tx)
		return errors.Join(err, complete(tx))
	})
	if err != nil || ledger != "" {
		return ledger, err
	}
	ledger = rand.Text()
	return ledger, db.Update(func(tx *bbolt.Tx) error { return create(tx, ledger) })
}

// ledgerOf is the id that a file holds; empty for an empty file. It fails with ErrForeign or ErrDamaged.
func ledgerOf(tx *bbolt.Tx) (string, error) {
	meta := tx.Bucket(metaBucket)
	if meta == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return "", ErrForeign
		}
		return "", nil
	}
	if have := string(meta.Get(formatKey)); have != fileFormat {
		return "", fmt.Errorf("%w: format %q, this program knows %q", ErrForeign, have, fileFormat)
	}
	ledger := string(meta.Get(ledgerKey))
	if ledger == "" || tx.Bucket(eventsBucket) == nil || tx.Bucket(checkpointsBucket) == nil {
		return "", fmt.Errorf("%w: parts are missing", ErrDamaged)
	}
	return ledger, nil
}

// complete fails with ErrDamaged for a file that was cut short.
func complete(tx *bbolt.Tx) error {
	info, err := os.Stat(tx.DB().Path())
	if err == nil && info.Size() < tx.Size() {
		err = fmt.Errorf("%w: it has %d bytes of %d", ErrDamaged, info.Size(), tx.Size())
	}
	return err
}

func create(tx *bbolt.Tx, ledger string) error {
	for _, name := range [][]byte{metaBucket, eventsBucket, checkpointsBucket} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	meta := tx.Bucket(metaBucket)
	return errors.Join(meta.Put(formatKey, []byte(fileFormat)), meta.Put(ledgerKey, []byte(ledger)))
}

// syncFolder makes a new file's name as durable as what is in it.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
