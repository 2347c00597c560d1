//go:build soak && unix

package fleettest_test

import (
	"flag"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
)

var (
	soakFor = flag.Duration("soak", 10*time.Minute, "how long faults go on")
	binary  = flag.String("binary", "", "the oc-scheduler to try")
	seed    = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the order of faults")
	only    = flag.String("faults", ".", "regular expression of the faults to try")
)

const (
	replicas   = 3
	peers      = 30
	clients    = 300
	plannerTTL = 90 * time.Second
	moreSlots  = 300 // of each planner, which has 30 KB with them
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// TestSoak runs a fleet of three on a cluster of three, all of them processes, under random faults,
// and checks after each that all is whole again.
func TestSoak(t *testing.T) {
	if *binary == "" {
		t.Fatal("-binary is missing: use make soak")
	}
	chosen := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return !regexp.MustCompile(*only).MatchString(f.name) })
	if len(chosen) == 0 {
		t.Fatalf("no fault is called %s", *only)
	}
	t.Logf("seed %d", *seed)
	rnd := rand.New(rand.NewPCG(*seed, 0))
	w := newWorld(t, rnd)
	booked := w.keepBooking()
	w.check("the start", soon)
	for end := time.Now().Add(*soakFor); time.Now().Before(end); {
		f := chosen[rnd.IntN(len(chosen))]
		w.say("%s", f.name)
		before := w.closes()
		f.happen(w)
		w.check(f.name, f.limit)
		w.judgeCloses(f, before)
		w.judgeLosses(f)
		booked.stand()
	}
	booked.finish()
	w.finish()
	w.report()
}
