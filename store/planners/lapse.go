package planners

import (
	"context"
	"math/rand/v2"
	"time"

	"oc-scheduler/store/kv"
)

const (
	// lapseEvery is how often the view is searched for planners whose time is up.
	lapseEvery = 2 * time.Second
	// lapseGrace is how long after its end a planner may still be in view: its key lives up to a second
	// longer, and the server writes its marker a little later, in a cluster without a leader by seconds.
	lapseGrace = 4 * time.Second
)

// LapseAll ends planners that are in view past their time, until ctx ends. The server's markers do
// that; but a key that was purged from the stream leaves none, and one that an operator has written
// with a longer TTL gets it late.
func (p *Planners) LapseAll(ctx context.Context) error {
	for kv.Sleep(ctx, lapseEvery+rand.N(lapseEvery/2)) == nil { // with jitter: one replica is enough
		if !p.view.Current() { // what has changed meanwhile is not in view
			continue
		}
		for peerID, r := range p.view.All() {
			if !p.overdue(r) {
				continue
			}
			if err := p.lapse(ctx, peerID); err != nil {
				p.log.DebugContext(ctx, "planner that is past its time cannot be ended yet", "peer_id", peerID, "error", err)
				break // the others would fail alike
			}
		}
	}
	return nil
}

// lapseEach ends planners that have vanished from the bucket, as an operator's removal with a marker would have
// done: watchers ask for them again, and the end is told once.
func (p *Planners) lapseEach(ctx context.Context, peerIDs []string) {
	for _, peerID := range peerIDs {
		if err := p.lapse(ctx, peerID); err != nil && ctx.Err() == nil {
			p.log.DebugContext(ctx, "planner that has vanished cannot be ended", "peer_id", peerID, "error", err)
		}
	}
}

func (p *Planners) overdue(r Record) bool { return p.clock.Now().Sub(r.ExpiresAt) > lapseGrace }

// lapse writes the marker that a planner's end should have left, unless the bucket shows one or a
// planner that lives. It fails with kv.ErrUnavailable.
func (p *Planners) lapse(ctx context.Context, peerID string) error {
	ended := false
	_, err := p.keys.Change(ctx, kv.KeyOf(peerID), func(last kv.Message) (*kv.Write, error) {
		if ended = p.lapsed(peerID, last); !ended {
			return nil, nil
		}
		return p.marker(ctx, peerID, last, Expired, ""), nil
	})
	if err == nil && ended {
		p.log.WarnContext(ctx, "planner is past its time and was removed without a trace, or never would be; it is ended now", "peer_id", peerID)
	}
	return err
}

// lapsed says whether the bucket has nothing of a peer, or a planner that is past its time.
func (p *Planners) lapsed(peerID string, last kv.Message) bool {
	if last.Revision == 0 {
		return true
	}
	if !last.Live() {
		return false
	}
	r, err := p.decode(kv.KeyOf(peerID), last)
	return err == nil && !r.byHand && p.overdue(r)
}
