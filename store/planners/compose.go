package planners

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
)

const (
	// composedHeader marks a planner that is composed, so that it is told from what others publish.
	composedHeader = "Oc-Composed"
	// warningsField is where a composed planner has those of its composition.
	warningsField = "warnings"
)

func isComposed(h nats.Header) bool { return h.Get(composedHeader) != "" }

// Compose stores a planner that is composed of what the peer's nodes offer: raw is its JSON and pl what it says.
// It takes the place of any other, whenever that was generated, and keeps its life; a life begins with it only
// where begin says so. Nothing is written when one stands already that is composed and says the same. It fails
// with kv.ErrTooLarge and kv.ErrUnavailable.
func (p *Planners) Compose(ctx context.Context, raw []byte, pl *planner.Planner, begin bool) (stored bool, err error) {
	if len(raw) > MaxBytes {
		return false, fmt.Errorf("%w: planner of %d bytes, at most %d are stored", kv.ErrTooLarge, len(raw), MaxBytes)
	}
	body, isObject := bytes.CutSuffix(raw, []byte("}"))
	if !isObject {
		return false, fmt.Errorf("%w: not a JSON object", kv.ErrUndecodable)
	}
	peerID := pl.PeerID()
	var next life
	revision, err := p.keys.Change(ctx, kv.KeyOf(peerID), func(last kv.Message) (*kv.Write, error) {
		p.echoes.forget(peerID)
		stored = false
		known, same := p.met(peerID, last, pl)
		now := p.clock.Now()
		lives := known.livesAt(now)
		if lives && same || !lives && !begin {
			return nil, nil
		}
		stored, next = true, known.composed(pl.GeneratedAt(), now, p.ttl)
		w := next.write(body, now)
		w.Header.Set(composedHeader, "true")
		r := next.record(pl)
		r.Composed = true
		p.echoes.expect(peerID, w.Data, r)
		return w, nil
	})
	if err != nil {
		return false, err
	}
	if stored {
		next.revision = revision
		p.heads.put(peerID, next)
	}
	return stored, nil
}

// met is the life of what stands, and whether that is composed and says what pl does.
func (p *Planners) met(peerID string, last kv.Message, pl *planner.Planner) (known life, same bool) {
	if e, ok := p.view.Get(peerID); ok && e.Revision == last.Revision && !e.Value.byHand {
		return e.Value.life(e.Revision), e.Value.Composed && e.Value.Told() == pl.Told()
	}
	if !last.Live() {
		return p.lifeOf(peerID, last), false
	}
	r, err := p.decode(kv.KeyOf(peerID), last)
	if err != nil {
		return life{revision: last.Revision}, false
	}
	return r.life(last.Revision), r.Composed && !r.byHand && r.Told() == pl.Told()
}

// livesAt says whether there is a planner whose time is not up.
func (l life) livesAt(now time.Time) bool { return !l.firstSeen.IsZero() && now.Before(l.expires) }

// composed is what follows when a planner is composed: the same life, or a first insertion after it. What came
// over the bus before is remembered as of what is over.
func (l life) composed(generated, now time.Time, ttl time.Duration) life {
	next := l
	if !l.livesAt(now) {
		next = life{revision: l.revision, firstSeen: now.UTC(), expires: now.Add(ttl).UTC(), past: l.over()}
	} else if l.seq > 0 {
		next.past.seq, next.past.received = l.seq, l.received
	}
	next.received, next.generated, next.seq = now.UTC(), generated, 0
	return next
}
