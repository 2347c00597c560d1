package httpapi

import (
	"net/http"
	"testing"

	"oc-scheduler/store/plan"
	"oc-scheduler/streams/booking"
)

// TestACrowdIsToldToComeAgain, and not that NATS is away.
func TestACrowdIsToldToComeAgain(t *testing.T) {
	t.Parallel()
	for _, err := range []error{booking.ErrCrowded, plan.ErrContended, plan.ErrSlow} {
		p := problemOf(ofWrite(err))
		if p == nil || p.Status != http.StatusServiceUnavailable || p.retryAfter == 0 || p == errUnsure || p == errUnreachable {
			t.Errorf("%v: %+v", err, p)
		}
	}
}
