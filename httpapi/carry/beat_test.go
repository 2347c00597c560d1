package carry

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var beats []time.Duration
		h := beat(25*time.Second, func() { beats = append(beats, time.Since(began)) })
		time.Sleep(80 * time.Second)
		h.stop()
		time.Sleep(time.Hour)
		want := []time.Duration{25 * time.Second, 50 * time.Second, 75 * time.Second}
		if len(beats) != len(want) || beats[0] != want[0] || beats[2] != want[2] {
			t.Errorf("beats at %v", beats)
		}
	})
}

func TestHeartbeatStopWaitsForTheBeatUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		over, calls := false, 0
		h := beat(time.Second, func() {
			calls++
			time.Sleep(10 * time.Second)
			over = true
		})
		time.Sleep(2 * time.Second)
		h.stop()
		if !over {
			t.Error("stop came back during a beat")
		}
		time.Sleep(time.Minute)
		if calls != 1 {
			t.Errorf("%d beats", calls)
		}
	})
}
