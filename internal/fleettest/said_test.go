package fleettest_test

import (
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/fleettest"
)

// TestSaidAgain: what was said twice, but for what a close in between has made void.
func TestSaidAgain(t *testing.T) {
	t.Parallel()
	at := func(seconds ...float64) (times []time.Time) {
		for _, s := range seconds {
			times = append(times, time.Unix(0, int64(s*1e9)).UTC())
		}
		return times
	}
	for _, tc := range []struct {
		requests, closes []time.Time
		want             string
	}{
		{at(0, 10, 20), nil, "[]"},
		{at(10, 0, 1.5), nil, "[1.5s apart at Jan  1 00:00:01.500 8.5s apart at Jan  1 00:00:10.000]"},
		{at(0, 1.5, 20), at(1), "[]"},
		{at(0, 1.5, 2), at(1), "[500ms apart at Jan  1 00:00:02.000]"},
		{at(2, 2.5), at(1, 3), "[500ms apart at Jan  1 00:00:02.500]"},
	} {
		said := fleettest.Said{Requests: tc.requests, Closes: tc.closes}
		if got := fmt.Sprint(said.RequestedAgain(9 * time.Second)); got != tc.want {
			t.Errorf("%v with closes %v: %s, want %s", tc.requests, tc.closes, got, tc.want)
		}
	}
	said := fleettest.Said{Closes: at(0, 30, 31, 32)}
	if got := fmt.Sprint(said.ClosedAgain(9*time.Second, at(32)[0])); got != "[1s apart at Jan  1 00:00:31.000]" {
		t.Error(got)
	}
}
