package watcher_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"oc-scheduler/streams/watcher"
)

func TestALedgerCutShort(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := openBolt(t, path)
	for n := range 200 {
		store(t, s, run(n))
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := len(whole)
	for ; end > 0 && whole[end-1] == 0; end-- { // room that is not used yet
	}
	for size := 1; size < end; size += 512 {
		cut := filepath.Join(t.TempDir(), "ledger")
		if err := os.WriteFile(cut, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := watcher.OpenBolt(cut)
		if err == nil {
			closeAtEnd(t, s)
		}
		if !errors.Is(err, watcher.ErrDamaged) && !errors.Is(err, watcher.ErrForeign) {
			t.Errorf("%d of %d bytes: %v", size, end, err)
		}
	}
}

func TestADamagedEvent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := openBolt(t, path)
	store(t, s, run(1))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("events")).Put([]byte{0, 0, 0, 0, 0, 0, 0, 1}, []byte("?"))
	}), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	_, err = openBolt(t, path).GetEvents(t.Context(), watcher.GetEventsRequest{})
	same(t, "damaged", errors.Is(err, watcher.ErrDamaged), true)
}

// TestDamagedPages: whatever a page of the file holds, reading and writing end in events or in ErrDamaged,
// and never with the program.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := openBolt(t, path)
	for n := range 200 {
		store(t, s, run(n))
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for _, spoil := range []byte{0, 0xff} {
		for page := os.Getpagesize(); page < len(whole); page += os.Getpagesize() {
			spoiled := slices.Clone(whole)
			copy(spoiled[page:], bytes.Repeat([]byte{spoil}, 64))
			damaged += tryLedger(t, spoiled)
		}
	}
	if damaged == 0 {
		t.Error("no damage was found")
	}
}

// tryLedger reads and writes a ledger that may be damaged; how often it is found to be.
func tryLedger(t *testing.T, content []byte) (damaged int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := watcher.OpenBolt(path)
	if err != nil {
		return 0
	}
	_, readErr := s.GetEvents(t.Context(), watcher.GetEventsRequest{})
	_, writeErr := s.StoreEvent(t.Context(), run(0))
	closeErr := s.Close(t.Context())
	same(t, "damage is told by Close", errors.Is(closeErr, watcher.ErrDamaged), errors.Is(writeErr, watcher.ErrDamaged))
	for _, err := range []error{readErr, writeErr} {
		if errors.Is(err, watcher.ErrDamaged) {
			damaged++
		} else if err != nil {
			t.Error(err)
		}
	}
	return damaged
}

// TestALedgerCutShortInUse: bbolt does not let go of its lock after that; nobody waits for it.
func TestALedgerCutShortInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s, err := watcher.OpenBolt(path)
	if err != nil {
		t.Fatal(err)
	}
	store(t, s, run(1))
	if err := os.Truncate(path, int64(2*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := s.StoreEvent(t.Context(), run(2))
		same(t, "damaged", errors.Is(err, watcher.ErrDamaged), true)
	}
	same(t, "damaged", errors.Is(s.Close(t.Context()), watcher.ErrDamaged), true)
}

// TestEventsOutOfOrder, as a damaged number leaves them, would be read for ever.
func TestEventsOutOfOrder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := openBolt(t, path)
	store(t, s, run(1), run(2), run(3))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	third, entry := []byte{0, 0, 0, 0, 0, 0, 0, 3}, []byte{1, 2} // as it is followed by its entry
	spoiled := bytes.ReplaceAll(whole, slices.Concat(third, entry), slices.Concat([]byte{0, 0, 0, 0, 0, 0, 0, 1}, entry))
	if err := os.WriteFile(path, spoiled, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = openBolt(t, path).GetEvents(t.Context(), watcher.GetEventsRequest{})
	same(t, "damaged", errors.Is(err, watcher.ErrDamaged), true)
}

// childLedger names the ledger to a child process of the test.
const childLedger = "OC_TEST_LEDGER"
