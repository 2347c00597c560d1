package app

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsGivenBackWhenTheStartIsOver(t *testing.T) {
	t.Parallel()
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	synctest.Test(t, func(t *testing.T) {
		began, before := time.Now(), forced()
		if tidyMemory(t.Context()); time.Since(began) != settling || forced() == before {
			t.Errorf("after %v, %d collections", time.Since(began), forced()-before)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began = time.Now()
		if tidyMemory(ctx); time.Since(began) != 0 {
			t.Errorf("a replica that stops waits for %v", time.Since(began))
		}
	})
}
