package issuer

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// asksApart is the least time between two fetches of keys, whoever wants them.
	asksApart = 3 * time.Second
	// askWithin bounds a fetch.
	askWithin = 4 * time.Second
	// askEvery is how often keys are fetched anyway; again sooner, when that fails.
	askEvery, askAgain = 2 * time.Minute, 5 * time.Second
)

// ring are the keys that count.
type ring struct {
	fetch  func(context.Context) ([]key, error)
	now    func() time.Time
	flight singleflight.Group

	mu       sync.RWMutex
	keys     []key
	asked    time.Time // when the last fetch began
	err      error     // what it failed with
	onChange func()    // nil: nobody wants to know
}

// get are the keys that are known, and what the last fetch failed with.
func (r *ring) get() ([]key, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.keys, r.err
}

// renewed is get after a fetch, if the last one is some time ago. All who want one share it, so it outlives the
// context of who began it.
func (r *ring) renewed(ctx context.Context) ([]key, error) {
	_, _, _ = r.flight.Do("", func() (any, error) {
		if r.begin() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWithin)
			defer cancel()
			r.end(r.fetch(ctx))
		}
		return nil, nil
	})
	return r.get()
}

func (r *ring) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if !r.asked.IsZero() && now.Sub(r.asked) < asksApart {
		return false
	}
	r.asked = now
	return true
}

// end keeps what a fetch has found. What it has not leaves all as it was: an issuer that is away has not said that
// its keys are bad.
func (r *ring) end(keys []key, err error) {
	r.mu.Lock()
	r.err = err
	changed := err == nil && !slices.EqualFunc(keys, r.keys, func(a, b key) bool { return a.print == b.print && a.id == b.id })
	if err == nil {
		r.keys = keys
	}
	tell := r.onChange
	r.mu.Unlock()
	if changed && tell != nil {
		tell()
	}
}

// tell sets what is called when the keys have changed.
func (r *ring) tell(onChange func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onChange = onChange
}

// run fetches now and then until ctx ends.
func (r *ring) run(ctx context.Context) {
	for ctx.Err() == nil {
		pause := askEvery
		if _, err := r.renewed(ctx); err != nil {
			pause = askAgain
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
	}
}

// trusts says whether a key counts that has counted before. While no keys are known none has been taken back.
func (r *ring) trusts(print string) bool {
	keys, _ := r.get()
	return len(keys) == 0 || has(keys, print)
}

func has(keys []key, print string) bool {
	return slices.ContainsFunc(keys, func(k key) bool { return k.print == print })
}
