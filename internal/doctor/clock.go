package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/planners"
)

// How far a machine's clock may be from that of NATS. The replicas decide by the latter what the fleet
// does once; by their own they say when is now, to those who ask for an answer about now.
const (
	skewNoticed = time.Second
	skewTooMuch = 30 * time.Second
)

const mendClock = "let both keep time with NTP (`timedatectl set-ntp true`, chrony)"

// reading is by how much a server's clock is ahead of this machine's, give or take margin.
type reading struct {
	of            string
	ahead, margin time.Duration
}

// clocks compares the clocks of the servers that lead the streams with this machine's, and with each
// other.
func (e *exam) clocks(ctx context.Context) {
	servers := map[string]reading{}
	for _, name := range slices.Sorted(maps.Keys(e.streams)) {
		sent := e.Now()
		stream, err := e.js.Stream(ctx, name)
		if err != nil || stream.CachedInfo().TimeStamp.IsZero() {
			continue
		}
		half := e.Now().Sub(sent) / 2
		r := reading{leaderOf(stream.CachedInfo()), stream.CachedInfo().TimeStamp.Sub(sent.Add(half)), half}
		if best, known := servers[r.of]; !known || r.margin < best.margin {
			servers[r.of] = r
		}
	}
	if len(servers) == 0 {
		e.unknown("no stream tells the servers' time", "run this again when a replica has made its streams")
		return
	}
	all := slices.SortedFunc(maps.Values(servers), func(a, b reading) int { return cmp.Compare(a.ahead, b.ahead) })
	least, most := all[0], all[len(all)-1]
	e.apart(most, least)
	worst := most
	if least.ahead.Abs() > most.ahead.Abs() {
		worst = least
	}
	e.skew("the clock of "+worst.of, worst.ahead, worst.margin)
}

// apart judges how far the clocks of two servers differ: the ends of planners' lives are timed by one,
// and what arrives by the other.
func (e *exam) apart(first, last reading) {
	d := first.ahead - last.ahead - first.margin - last.margin
	text := fmt.Sprintf("the clock of %s is %v ahead of that of %s", first.of, (first.ahead - last.ahead).Round(time.Millisecond), last.of)
	switch {
	case d > planners.MaxSkew:
		e.fail(fmt.Sprintf("%s, at most %v may be: planners that answer a request may be passed over", text, planners.MaxSkew), mendClock)
	case d > planners.MaxSkew/2:
		e.warn(fmt.Sprintf("%s, at most %v may be", text, planners.MaxSkew), mendClock)
	}
}

// skew judges how far a clock is ahead of this machine's, give or take margin.
func (e *exam) skew(what string, ahead, margin time.Duration) {
	text := fmt.Sprintf("%s is %v %s this machine's", what, ahead.Abs().Round(time.Millisecond), direction(ahead))
	switch {
	case ahead.Abs()-margin > skewTooMuch:
		e.fail(text, mendClock)
	case ahead.Abs()-margin > skewNoticed:
		e.warn(text, mendClock)
	default:
		e.ok("%s differs from this machine's by %v, give or take %v", what, ahead.Abs().Round(time.Millisecond), margin.Round(time.Millisecond))
	}
}

func leaderOf(info *jetstream.StreamInfo) string {
	if info.Cluster == nil || info.Cluster.Leader == "" {
		return "the NATS server"
	}
	return "NATS server " + info.Cluster.Leader
}

func direction(ahead time.Duration) string {
	if ahead < 0 {
		return "behind"
	}
	return "ahead of"
}
