package issuer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// source tells keys, or fails, and counts how often it is asked.
type source struct {
	mu    sync.Mutex
	keys  []key
	err   error
	hangs bool
	asked atomic.Int32
}

func (s *source) fetch(ctx context.Context) ([]key, error) {
	s.mu.Lock()
	s.asked.Add(1)
	keys, err, hangs := s.keys, s.err, s.hangs
	s.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return keys, err
}

// becomes changes what is told: keys of such ids, or an error; or nothing comes at all.
func (s *source) becomes(err error, hangs bool, ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys, s.err, s.hangs = nil, err, hangs
	for _, id := range ids {
		s.keys = append(s.keys, key{id: id, print: id})
	}
}

// ringOf is a ring that runs until the test ends.
func ringOf(t *testing.T, s *source) (r *ring, changes *atomic.Int32) {
	t.Helper()
	changes = new(atomic.Int32)
	r = &ring{fetch: s.fetch, now: time.Now, onChange: func() { changes.Add(1) }}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	synctest.Wait()
	return r, changes
}

// TestAKeyThatLeftIsForgotten within five minutes, though nobody asks.
func TestAKeyThatLeftIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{keys: []key{{id: "a", print: "a"}}}
		r, changes := ringOf(t, s)
		s.becomes(nil, false, "b")
		if !r.trusts("a") || r.trusts("b") || changes.Load() != 1 {
			t.Error("the first keys are not known")
		}
		time.Sleep(5*time.Minute - time.Second)
		if r.trusts("a") || !r.trusts("b") || changes.Load() != 2 {
			t.Errorf("the second keys are not known; %d changes", changes.Load())
		}
	})
}

// TestKnownKeysGoOn while the issuer is away, fails or hangs, and what is new is learned soon after.
func TestKnownKeysGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{keys: []key{{id: "a", print: "a"}}}
		r, _ := ringOf(t, s)
		s.becomes(errors.New("away"), false)
		time.Sleep(time.Hour)
		if _, err := r.get(); err == nil || !r.trusts("a") {
			t.Errorf("after an hour: %v", err)
		}
		s.becomes(nil, true)
		time.Sleep(time.Hour)
		if !r.trusts("a") {
			t.Error("a key was forgotten while the issuer hangs")
		}
		s.becomes(nil, false, "b")
		time.Sleep(10 * time.Second)
		if _, err := r.get(); err != nil || !r.trusts("b") || r.trusts("a") {
			t.Errorf("ten seconds later: %v", err)
		}
	})
}

// TestStrangersCostLittle: unknown keys have the issuer asked every three seconds at most, and a new one is known
// by then.
func TestStrangersCostLittle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{keys: []key{{id: "a", print: "a"}}}
		r, _ := ringOf(t, s)
		for range 1000 {
			if _, err := r.renewed(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		if s.asked.Load() > 4 {
			t.Errorf("asked %d times in ten seconds", s.asked.Load())
		}
		s.becomes(nil, false, "b")
		time.Sleep(asksApart)
		if _, err := r.renewed(t.Context()); err != nil || !r.trusts("b") {
			t.Error("a new key is not known three seconds later")
		}
	})
}
