package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// How far clocks may differ. Expiry is counted by the servers, expires_at and next_at are written by
// the replicas: seconds apart they still fit, and a lease lives for 30 s.
const (
	skewNoticed = time.Second
	skewTooMuch = 30 * time.Second
)

const mendClock = "let both keep time with NTP (`timedatectl set-ntp true`, chrony)"

// clocks compares this machine's clock with that of the servers that lead the streams.
func (e *exam) clocks(ctx context.Context) {
	var worst, margin time.Duration
	of, seen := "", 0
	for _, name := range slices.Sorted(maps.Keys(e.streams)) {
		sent := e.Now()
		stream, err := e.js.Stream(ctx, name)
		if err != nil || stream.CachedInfo().TimeStamp.IsZero() {
			continue
		}
		half := e.Now().Sub(sent) / 2
		seen++
		if skew := stream.CachedInfo().TimeStamp.Sub(sent.Add(half)); seen == 1 || skew.Abs() > worst.Abs() {
			worst, margin, of = skew, half, leaderOf(stream.CachedInfo())
		}
	}
	if seen == 0 {
		e.unknown("no stream tells the servers' time", "run this again when a replica has made its streams")
		return
	}
	e.skew("the clock of "+of, worst, margin)
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
