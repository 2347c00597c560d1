package store

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/jet"
	"oc-scheduler/store/id"
)

const (
	endsAtOnce = 16
	// endsAhead is what a replica that hangs holds back, until the consumer gives it to another.
	endsAhead = 64
	// endTimeout is what handling one end may take: less than the consumer waits for an answer.
	endTimeout = 8 * time.Second
	// endRetry is the pause before an end that could not be handled comes again; it doubles.
	endRetry, maxEndRetry = time.Second, time.Minute
)

// Cause says why a planner's life ended.
type Cause int

const (
	// Expired means that its time was up.
	Expired Cause = iota
	// Deleted means that an operator removed it.
	Deleted
	// Unwatched means that the last watcher left.
	Unwatched
	// Departed means that the peer said goodbye.
	Departed
)

// String is the cause in one word.
func (c Cause) String() string {
	switch c {
	case Deleted:
		return "deleted"
	case Unwatched:
		return "unwatched"
	case Departed:
		return "departed"
	}
	return "expired"
}

// End is the end of a planner's life.
type End struct {
	PeerID   string
	Cause    Cause
	Revision uint64 // of the marker
}

// Ends hands each end of a planner's life to handle, until ctx ends; then it returns nil. All
// replicas share one durable consumer: each end is handled by one of them, at least once, also when
// none was running at the time, and not at all when a newer planner has come meanwhile. Ends may be
// handled at the same time and in any order; one for which handle fails comes again. It returns
// ErrUnavailable when the connection was closed for good.
func (p *Planners) Ends(ctx context.Context, handle func(context.Context, End) error) error {
	level := slog.LevelWarn
	jet.Supervise(ctx, p.bucket.js.Conn(), func(ctx context.Context) bool {
		cons, err := ensureConsumer(ctx, p.bucket.js, p.bucket.stream.CachedInfo().Config.Name, endsConsumer())
		if err != nil {
			p.log.Log(ctx, level, "ends of planners cannot be read", "error", err)
			level = slog.LevelDebug // the first of a row of failures says it all
			return false
		}
		level = slog.LevelWarn
		began := time.Now()
		if err := p.consumeEnds(ctx, cons, handle); ctx.Err() == nil {
			p.log.WarnContext(ctx, "reading the ends of planners begins again", "error", err)
		}
		return time.Since(began) > heartbeat
	})
	if ctx.Err() == nil {
		return fmt.Errorf("ends of planners: %w", ErrUnavailable)
	}
	return nil
}

func (p *Planners) consumeEnds(ctx context.Context, cons jetstream.Consumer, handle func(context.Context, End) error) error {
	var work errgroup.Group
	work.SetLimit(endsAtOnce)
	defer func() { _ = work.Wait() }() // its functions return no errors
	r := readerOf(cons, endsAhead)
	r.Explicit = true
	return r.Run(ctx, p.bucket.js, func(m *nats.Msg) error {
		end, ok := endOf(m)
		if !ok {
			return m.Ack()
		}
		work.Go(func() error { p.handleEnd(ctx, m, end, handle); return nil })
		return nil
	})
}

// endOf reads a marker; other messages, and keys that stand for no peer, are no ends.
func endOf(m *nats.Msg) (End, bool) {
	if !isMarker(m.Header) {
		return End{}, false
	}
	peerID, err := id.FromKey(strings.TrimPrefix(m.Subject, subjectPrefix(PlannersBucket)))
	if err != nil {
		return End{}, false
	}
	md, err := m.Metadata()
	if err != nil {
		return End{}, false
	}
	return End{PeerID: peerID, Cause: causeOf(m.Header), Revision: md.Sequence.Stream}, true
}

// causeOf reads from a marker who wrote it: the server, this program, or else an operator.
func causeOf(h nats.Header) Cause {
	switch {
	case h.Get(jetstream.MarkerReasonHeader) == "MaxAge", h.Get(reasonHeader) == Expired.String():
		return Expired
	case h.Get(reasonHeader) == Unwatched.String():
		return Unwatched
	case h.Get(reasonHeader) == Departed.String():
		return Departed
	}
	return Deleted
}

// handleEnd settles one marker: handled, overtaken by something newer, or to come again.
func (p *Planners) handleEnd(ctx context.Context, m *nats.Msg, end End, handle func(context.Context, End) error) {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	stands, err := p.Stands(ctx, end)
	if stands {
		err = handle(ctx, end)
	}
	if err == nil {
		if err = m.AckSync(nats.Context(ctx)); err != nil {
			p.log.DebugContext(ctx, "end of a planner is handled but not acknowledged", "peer_id", end.PeerID, "error", err)
		}
		return
	}
	p.log.WarnContext(ctx, "end of a planner could not be handled; it comes again", "peer_id", end.PeerID, "error", err)
	if err := m.NakWithDelay(retryDelay(m)); err != nil {
		p.log.DebugContext(ctx, "end of a planner comes again when its time is up", "peer_id", end.PeerID, "error", err)
	}
}

// Stands reports whether the end is still the last that happened to the planner: no newer planner
// has come, and no newer end. It fails with ErrUnavailable.
func (p *Planners) Stands(ctx context.Context, end End) (bool, error) {
	last, err := p.bucket.newest(ctx, end.PeerID)
	return err == nil && last.Revision == end.Revision, err
}

// retryDelay doubles with each delivery, with jitter.
func retryDelay(m *nats.Msg) time.Duration {
	d := endRetry
	if md, err := m.Metadata(); err == nil {
		d = min(endRetry<<min(md.NumDelivered-1, 10), maxEndRetry)
	}
	return d/2 + rand.N(d)
}
