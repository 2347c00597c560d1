package jet_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/jet"
)

func TestEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		began, times := time.Now(), []time.Duration(nil)
		jet.Every(ctx, 10*time.Second, func(context.Context) { times = append(times, time.Since(began)) })
		if len(times) != 3 || times[0] != 10*time.Second || time.Since(began) != 35*time.Second {
			t.Errorf("done after %v, ended after %v", times, time.Since(began))
		}
	})
}
