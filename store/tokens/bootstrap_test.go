package tokens_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/tokens"
)

func TestTheFirstTokenIsMadeOnce(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	var made atomic.Int32
	var g errgroup.Group
	for range 5 {
		of, c := open(t, s), access.MintAs(tokens.Bootstrap)
		g.Go(func() error {
			err := of.Begin(t.Context(), c, time.Now())
			if err == nil {
				made.Add(1)
				return of.Begin(t.Context(), c, time.Now()) // again: it is the same
			}
			if errors.Is(err, tokens.ErrExists) {
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil || made.Load() != 1 {
		t.Errorf("%d were made: %v", made.Load(), err)
	}
}

// TestAFleetIsGoverned by any administrator that lives, and begins anew without one.
func TestAFleetIsGoverned(t *testing.T) {
	t.Parallel()
	of := open(t, natstest.Start(t))
	governed := func(want bool, at time.Time) {
		t.Helper()
		if got, err := of.Governed(t.Context(), at); err != nil || got != want {
			t.Errorf("governed: %v, %v", got, err)
		}
	}
	governed(false, time.Now())
	create(t, of, tokens.Draft{Name: "n", Role: access.Operator})
	governed(false, time.Now())
	create(t, of, tokens.Draft{Name: "n", Role: access.Admin, TTL: time.Hour})
	governed(true, time.Now())
	governed(false, time.Now().Add(2*time.Hour))
	if err := of.Begin(t.Context(), access.MintAs(tokens.Bootstrap), time.Now()); err != nil {
		t.Fatal(err)
	}
	governed(true, time.Now().Add(2*time.Hour))
	if err := of.Revoke(t.Context(), tokens.Bootstrap); err != nil {
		t.Fatal(err)
	}
	if err := of.Begin(t.Context(), access.MintAs(tokens.Bootstrap), time.Now()); err != nil {
		t.Error(err)
	}
}
