package planners

import (
	"context"
	"log/slog"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
)

// MaxBytes is the largest planner that is stored.
const MaxBytes = 4 << 20

// Planners is the bucket of what each peer still has. A planner lives for a fixed time from its
// first insertion, however often it is replaced.
type Planners struct {
	keys    *kv.Keys
	view    *kv.View[Record]
	ttl     time.Duration
	clock   *kv.Clock
	onBus   func(context.Context) (origin.Source, error)
	log     *slog.Logger
	heads   heads
	echoes  echoes
	pending *kv.Pending // written by hand, to be adopted
}

// Config says how planners live.
type Config struct {
	TTL   time.Duration // of a life, from the first insertion
	Clock *kv.Clock
	// LastOnBus tells the newest event on the OpenCloud bus, and as its time that of now there: what came
	// up to it belongs to the lives that end now. When it fails: what is known of them counts.
	LastOnBus func(context.Context) (origin.Source, error)
	Log       *slog.Logger
}

// New is the bucket of planners.
func New(keys *kv.Keys, cfg Config) *Planners {
	p := &Planners{
		keys: keys, ttl: cfg.TTL, clock: cfg.Clock, onBus: cfg.LastOnBus, log: cfg.Log.With("component", "planners"),
		heads: newHeads(), echoes: newEchoes(), pending: kv.NewPending(),
	}
	p.view = kv.NewView(keys, p.decodeOwn)
	p.view.OnVanished(p.lapseEach)
	p.view.OnChange(func(peerID string) {
		e, ok := p.view.Get(peerID)
		p.heads.seen(peerID, e.Revision, !ok)
		if ok && e.Value.byHand {
			p.pending.Add(peerID)
		}
	})
	return p
}

// View is this replica's copy of the planners.
func (p *Planners) View() *kv.View[Record] { return p.view }

// End ends the life of a planner that nobody watches, whether or not it has one: a marker is written
// that every replica sees, and whose reader (Ends) tells the peer. end names it: the marker of an end that
// has a name is written once, while no planner comes after it. still is asked before each attempt; nothing is written
// once it says no. It fails with the errors of still and kv.ErrUnavailable.
func (p *Planners) End(ctx context.Context, peerID, end string, still func(context.Context) (bool, error)) error {
	_, err := p.keys.Change(ctx, kv.KeyOf(peerID), func(last kv.Message) (*kv.Write, error) {
		if end != "" && kv.IsMarker(last.Header) && last.Header.Get(endHeader) == end {
			return nil, nil
		}
		if ok, err := still(ctx); err != nil || !ok {
			return nil, err
		}
		return p.marker(ctx, peerID, last, Unwatched, end), nil
	})
	return err
}

// Depart ends the life of a peer's planner, if it has one that came after since, because the peer has said
// goodbye. One that is composed stays: it tells by itself who has left. It fails with kv.ErrUnavailable.
func (p *Planners) Depart(ctx context.Context, peerID string, since time.Time) error {
	return p.depart(ctx, peerID, func(r Record, err error) bool {
		return err != nil || !r.Composed && !r.ReceivedAt.Before(since)
	})
}

// Disband ends the life of a peer's planner, if that is composed, because the peer has no nodes any more. It
// fails with kv.ErrUnavailable.
func (p *Planners) Disband(ctx context.Context, peerID string) error {
	return p.depart(ctx, peerID, func(r Record, err error) bool { return err == nil && r.Composed })
}

func (p *Planners) depart(ctx context.Context, peerID string, ends func(Record, error) bool) error {
	_, err := p.keys.Change(ctx, kv.KeyOf(peerID), func(last kv.Message) (*kv.Write, error) {
		if !last.Live() || !ends(p.decode(kv.KeyOf(peerID), last)) {
			return nil, nil
		}
		return p.marker(ctx, peerID, last, Departed, ""), nil
	})
	return err
}

// marker ends what stands. It tells which arrivals are of what it ends.
func (p *Planners) marker(ctx context.Context, peerID string, last kv.Message, cause Cause, end string) *kv.Write {
	over := p.lifeOf(peerID, last).over()
	switch newest, err := p.onBus(ctx); {
	case err != nil:
		p.log.DebugContext(ctx, "the bus does not tell its newest event; a planner on its way may outlive the end", "peer_id", peerID, "error", err)
	case newest.Seq > 0:
		over.seq, over.received = newest.Seq, newest.Time
	}
	return p.marked(cause, end, past{seq: over.seq, received: over.received})
}

// Raw returns the stored value itself. It fails with kv.ErrNotFound, with kv.ErrUndecodable for a broken
// one, which counts as none, and with kv.ErrUnavailable.
func (p *Planners) Raw(ctx context.Context, peerID string) (value []byte, revision uint64, err error) {
	m, err := p.keys.Value(ctx, kv.KeyOf(peerID))
	if err == nil {
		_, err = p.decode(kv.KeyOf(peerID), m)
	}
	if err != nil {
		return nil, 0, err
	}
	return m.Data, m.Revision, nil
}
