package compute

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/jet"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/ncl"
)

const (
	// offerPause is the least time between two offers: what changes faster is conflated.
	offerPause = 200 * time.Millisecond
	// offerRetry is the first pause before an offer is told again that was not answered; the longest is
	// Config.NodeInfoUpdateInterval.
	offerRetry = time.Second
)

// offers tells the scheduler what the node offers, in one session: at its begin and at each change, one
// at a time and always the newest, until it is answered. All of it but again belongs to run.
type offers struct {
	plane *ControlPlane
	again jet.Wake // wakes run: the scheduler lacks the offer
	retry backoff.BackOff

	offer    json.RawMessage // that was told last
	sequence uint64          // of it
	settled  bool            // it was answered
}

func newOffers(cp *ControlPlane) *offers {
	longest := cp.cfg.NodeInfoUpdateInterval
	retry := exponential(min(offerRetry, longest))
	retry.MaxInterval = longest
	return &offers{plane: cp, again: jet.NewWake(), retry: retry}
}

// tellAgain has the offer told once more, should the node tell any.
func (o *offers) tellAgain() {
	o.again.Up()
}

// run tells offers until ctx ends.
func (o *offers) run(ctx context.Context) {
	for ctx.Err() == nil {
		var changed <-chan struct{}
		err := guard.Apart(func() error {
			changed = o.plane.cfg.OfferProvider.OfferChanged()
			return o.tell(ctx)
		})
		switch {
		case err == nil:
			o.retry.Reset()
			o.sleep(ctx, offerPause)
			o.await(ctx, changed)
		case errors.Is(err, errNoOffers):
			o.refused(ctx, err.Error())
			o.sleep(ctx, o.plane.cfg.NodeInfoUpdateInterval)
		default:
			o.plane.logger.WarnContext(ctx, "the offer was not told", "error", err)
			o.sleep(ctx, o.retry.NextBackOff())
		}
	}
}

func (o *offers) sleep(ctx context.Context, d time.Duration) {
	timer := o.plane.cfg.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
	case <-ctx.Done():
	}
}

func (o *offers) await(ctx context.Context, changed <-chan struct{}) {
	select {
	case <-changed:
	case <-o.again:
		o.settled = false
	case <-ctx.Done():
	}
}

// tell tells the offer as it is now, unless that was answered before.
func (o *offers) tell(ctx context.Context) error {
	offer, err := o.plane.cfg.OfferProvider.GetOffer(ctx)
	if err != nil {
		return fmt.Errorf("offer: %w", err)
	}
	if o.sequence == 0 || !bytes.Equal(offer, o.offer) {
		o.offer, o.sequence, o.settled = offer, o.sequence+1, false
	}
	if o.settled {
		return nil
	}
	answer, err := o.ask(ctx)
	switch {
	case err != nil:
		return err
	case answer.HandshakeRequired:
		o.plane.handshakeRequired(ctx, answer.Reason)
	case !answer.Accepted:
		o.refused(ctx, ncl.Reason(answer.Reason))
	default:
		o.plane.params.HealthTracker.offerAccepted()
	}
	o.settled = true
	return nil
}

// refused notes why the scheduler does not take the offer, and logs what it did not before.
func (o *offers) refused(ctx context.Context, reason string) {
	if o.plane.params.HealthTracker.offerRefused(reason) {
		o.plane.logger.WarnContext(ctx, "the scheduler does not take the offer", "reason", reason)
	}
}
