package httpapi

import (
	"net/http"
	"testing"

	"oc-scheduler/streams/booking"
)

// TestACrowdIsToldToComeAgain, and not that NATS is away.
func TestACrowdIsToldToComeAgain(t *testing.T) {
	t.Parallel()
	p := problemOf(ofWrite(booking.ErrCrowded))
	if p == nil || p.Status != http.StatusServiceUnavailable || p.retryAfter == 0 || p == errUnsure || p == errUnreachable {
		t.Errorf("%+v", p)
	}
}
