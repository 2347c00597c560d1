package httpapi

import (
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"oc-scheduler/store/access"
)

const (
	// burstOf is how much of a second's rate may come at once.
	burstOf = 2
	// ratesKept is how many are remembered; those beyond share one.
	ratesKept = 10_000
)

// rates is how often each of many may ask.
type rates struct {
	reads, writes rate.Limit // a second; 0: as often as he likes
	now           func() time.Time

	mu     sync.Mutex
	known  map[string]*pace
	others *pace
	swept  time.Time // a crowd must not have all be looked at for each of its own
}

// pace is how often one may ask.
type pace struct{ reads, writes *rate.Limiter }

func newRates(reads, writes float64, now func() time.Time) *rates {
	r := &rates{reads: rate.Limit(reads), writes: rate.Limit(writes), now: now, known: map[string]*pace{}}
	r.others = r.newPace()
	return r
}

func (r *rates) newPace() *pace { return &pace{limiter(r.reads), limiter(r.writes)} }

func limiter(limit rate.Limit) *rate.Limiter {
	if limit <= 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	return rate.NewLimiter(limit, max(1, int(math.Ceil(burstOf*float64(limit)))))
}

// of is the pace of one.
func (r *rates) of(who string) *pace {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.known[who]; p != nil {
		return p
	}
	if len(r.known) >= ratesKept {
		r.sweepLocked()
	}
	if len(r.known) >= ratesKept {
		return r.others
	}
	p := r.newPace()
	r.known[who] = p
	return p
}

// sweepLocked forgets those who would be met as strangers are, once a second at most.
func (r *rates) sweepLocked() {
	now := r.now()
	if now.Sub(r.swept) < time.Second {
		return
	}
	r.swept = now
	for who, p := range r.known {
		if rested(p.reads, now) && rested(p.writes, now) {
			delete(r.known, who)
		}
	}
}

func rested(l *rate.Limiter, now time.Time) bool {
	return l.Limit() == rate.Inf || l.TokensAt(now) >= float64(l.Burst())
}

// take counts a request. The error is a *Problem that says when to come again.
func (p *pace) take(right access.Right, now time.Time) error {
	l := p.writes
	if right.Needs() <= access.Viewer {
		l = p.reads
	}
	if l.AllowN(now, 1) {
		return nil
	}
	wait := time.Duration((1 - l.TokensAt(now)) / float64(l.Limit()) * float64(time.Second))
	return newProblem(http.StatusTooManyRequests, "at most %v requests of this kind a second", float64(l.Limit())).after(max(wait, time.Second))
}
