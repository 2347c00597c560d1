package compute

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// errNoOffers says that the scheduler is of a version that knows no offers.
var errNoOffers = errors.New("it is of a version before offers, and takes none: what this node has is seen only where " +
	"a discovery service publishes its peer's planner")

// ask sends the offer; or, when it fits into no message, that it does not. It fails with errNoOffers.
func (o *offers) ask(ctx context.Context) (*nclprotocol.OfferResponse, error) {
	size := len(o.offer)
	withheld := nclprotocol.OfferRequest{Sequence: o.sequence}
	if size > nclprotocol.MaxOffer {
		withheld.Withheld = fmt.Sprintf("the offer has %d bytes, at most %d are allowed", size, nclprotocol.MaxOffer)
		return o.request(ctx, withheld)
	}
	answer, err := o.request(ctx, nclprotocol.OfferRequest{Sequence: o.sequence, Offer: o.offer})
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		withheld.Withheld = fmt.Sprintf("the offer has %d bytes, more than a message may have here (max_payload of NATS)", size)
	case errors.Is(err, envelope.ErrTooLarge):
		withheld.Withheld = fmt.Sprintf("the offer has %d bytes: %v", size, err)
	default:
		return answer, err
	}
	return o.request(ctx, withheld)
}

func (o *offers) request(ctx context.Context, r nclprotocol.OfferRequest) (*nclprotocol.OfferResponse, error) {
	answer, err := ask[nclprotocol.OfferResponse](ctx, o.plane.cfg, o.plane.params.Requester, r)
	if refused, is := errors.AsType[*ncl.RefusedError](err); is && refused.Reason == unknownType(nclprotocol.TypeOfferRequest) {
		return nil, errNoOffers
	}
	return answer, err
}

// unknownType is how every version refuses a message whose type it does not know.
func unknownType(name string) string { return (&envelope.TypeError{Type: name}).Error() }
