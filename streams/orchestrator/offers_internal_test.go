package orchestrator

import (
	"errors"
	"strings"
	"testing"

	"oc-scheduler/streams/nclprotocol"
)

// TestWhatIsNoOffer is found out before anything is asked of the store.
func TestWhatIsNoOffer(t *testing.T) {
	t.Parallel()
	for reason, r := range map[string]nclprotocol.OfferRequest{
		"the offer has 4194305 bytes, at most 4194304 are allowed": {Sequence: 1, Offer: make([]byte, nclprotocol.MaxOffer+1)},
		"sequence is missing": {Offer: []byte("{}")},
		"it does not fit":     {Sequence: 1, Offer: []byte("{}"), Withheld: "it does not fit"},
	} {
		_, err := new(control).keepOffer(t.Context(), sender{}, &r)
		if unfit, ok := errors.AsType[*unfitError](err); !ok || !strings.Contains(unfit.Error(), reason) {
			t.Errorf("%v, want %q", err, reason)
		}
	}
}
