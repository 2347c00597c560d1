package httpapi

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/store/kv"
)

// TestEqualLookupsAreOne, and none outlasts its time.
func TestEqualLookupsAreOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, reads := newLookups(lookupsPerSecond), 0
		read := func(ctx context.Context, id string) (string, error) {
			reads++
			if id == "hangs" {
				<-ctx.Done()
				return "", ctx.Err()
			}
			time.Sleep(lookupWithin / 2)
			return id, nil
		}
		var clients sync.WaitGroup
		for range 10 {
			clients.Go(func() {
				if found, err := lookup(t.Context(), l, "b", "id", read); found != "id" || err != nil {
					t.Errorf("%q, %v", found, err)
				}
			})
		}
		clients.Wait()
		if reads != 1 {
			t.Errorf("read %d times", reads)
		}
		began := time.Now()
		if _, err := lookup(t.Context(), l, "b", "hangs", read); !errors.Is(err, kv.ErrNotFound) || time.Since(began) != lookupWithin {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
