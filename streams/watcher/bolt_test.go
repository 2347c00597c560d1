package watcher_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"oc-scheduler/streams/watcher"
)

func openBolt(tb testing.TB, path string, opts ...watcher.Option) *watcher.BoltStore {
	tb.Helper()
	s, err := watcher.OpenBolt(path, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	closeAtEnd(tb, s)
	return s
}

func TestALedgerOutlivesItsStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := openBolt(t, path)
	store(t, s, run(1), run(2), run(3))
	if err := errors.Join(s.Rename(t.Context()), s.StoreCheckpoint(t.Context(), "c", 2), s.Trim(t.Context(), 3), s.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	again := openBolt(t, path)
	same(t, "ledger", again.LedgerID(), s.LedgerID())
	same(t, "newest", newest(t, again), 3)
	store(t, again, run(4))
	same(t, "events", numbers(events(t, again, 0, 0)), "4-4")
	position, err := again.GetCheckpoint(t.Context(), "c")
	same(t, "error", err, nil)
	same(t, "checkpoint", position, 2)
	info, err := os.Stat(path)
	same(t, "error", err, nil)
	same(t, "mode", info.Mode().Perm(), 0o600)
	same(t, "another ledger's name", openBolt(t, path+"2").LedgerID() == s.LedgerID(), false)
}

func TestFilesThatAreNoLedger(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(path string) error
		want  error
	}{
		"text": {func(path string) error { return os.WriteFile(path, []byte("hello"), 0o600) }, watcher.ErrForeign},
		"long text": {func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("hello\n", 10000)), 0o600)
		}, watcher.ErrForeign},
		"a folder":      {func(path string) error { return os.Mkdir(path, 0o700) }, errors.ErrUnsupported},
		"no place":      {func(path string) error { return os.Remove(filepath.Dir(path)) }, os.ErrNotExist},
		"other buckets": {inFile("other"), watcher.ErrForeign},
		"other format":  {inFile("meta", "format", "oc-ledger/2"), watcher.ErrForeign},
		"no format":     {inFile("meta", "ledger", "L"), watcher.ErrForeign},
		"no parts":      {inFile("meta", "format", "oc-ledger/1", "ledger", "L"), watcher.ErrDamaged},
		"nothing yet":   {func(path string) error { return os.WriteFile(path, nil, 0o600) }, nil},
		"empty":         {inFile(""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "ledger")
			if err := c.spoil(path); err != nil {
				t.Fatal(err)
			}
			s, err := watcher.OpenBolt(path)
			switch {
			case err == nil:
				closeAtEnd(t, s)
				same(t, "error", c.want, nil)
			case errors.Is(c.want, errors.ErrUnsupported): // whatever the system says
			case !errors.Is(err, c.want):
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// inFile makes a file of bbolt with a bucket and pairs in it.
func inFile(bucket string, pairs ...string) func(path string) error {
	return func(path string) error {
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			return err
		}
		return errors.Join(db.Update(func(tx *bbolt.Tx) error {
			if bucket == "" {
				return nil
			}
			b, err := tx.CreateBucket([]byte(bucket))
			for i := 0; i < len(pairs); i += 2 {
				err = errors.Join(err, b.Put([]byte(pairs[i]), []byte(pairs[i+1])))
			}
			return err
		}), db.Close())
	}
}

func TestALedgerHasOneHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	s := openBolt(t, path)
	_, err := watcher.OpenBolt(path, watcher.WithOpenTimeout(time.Millisecond))
	if !errors.Is(err, watcher.ErrInUse) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	openBolt(t, path)
}

// storeUntilKilled stores events from several goroutines and prints the number of each once it is
// stored.
func storeUntilKilled(path string) int {
	s, err := watcher.OpenBolt(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var work sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		work.Go(func() {
			for {
				e, err := s.StoreEvent(context.Background(), run(0))
				if err != nil {
					return
				}
				mu.Lock()
				fmt.Println(e.SeqNum)
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return 1
}

func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger")
	var ledger string
	var acknowledged uint64
	for round := range 3 {
		for _, n := range writeAndDie(t, path, 50+50*round) {
			acknowledged = max(acknowledged, n)
		}
		s := openBolt(t, path)
		have := newest(t, s)
		if have < acknowledged {
			t.Fatalf("event %d was acknowledged, %d is the newest", acknowledged, have)
		}
		same(t, "events", numbers(events(t, s, 0, int(have)+1)), fmt.Sprintf("1-%d", have))
		if ledger == "" {
			ledger = s.LedgerID()
		}
		same(t, "ledger", s.LedgerID(), ledger)
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// writeAndDie runs a child that stores events, kills it when it has acknowledged so many, and returns
// the numbers of all it has acknowledged.
func writeAndDie(t *testing.T, path string, enough int) (acknowledged []uint64) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childLedger+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for killed := false; ; {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // a line that was cut short acknowledges nothing
		}
		n, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		acknowledged = append(acknowledged, n)
		if len(acknowledged) >= enough && !killed {
			killed = true
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	if len(acknowledged) < enough {
		t.Fatalf("the child stored %d events", len(acknowledged))
	}
	return acknowledged
}
