package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"oc-scheduler/httpapi/auth"
)

// TestWhatAProxyTells is the client, and how it came to the first proxy; of others it is nothing.
func TestWhatAProxyTells(t *testing.T) {
	t.Parallel()
	trusted := proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}
	for _, c := range []struct {
		from, hops, protocols string
		client                string
		way                   auth.Way
	}{
		{"10.0.0.1:5", "192.0.2.1", "https", "192.0.2.1", auth.Secure},
		{"10.0.0.1:5", "192.0.2.1", "http", "192.0.2.1", auth.InTheOpen},
		{"10.0.0.1:5", "192.0.2.1", "", "192.0.2.1", auth.InTheOpen},
		{"10.0.0.1:5", "", "HTTPS", "10.0.0.1", auth.Secure},
		{"10.0.0.1:5", "192.0.2.7, 192.0.2.1", "https", "192.0.2.1", auth.Secure},
		{"10.0.0.1:5", "192.0.2.1, 10.0.0.2", "https, http", "192.0.2.1", auth.Secure},
		{"10.0.0.1:5", "192.0.2.1, 10.0.0.2", "http, https", "192.0.2.1", auth.InTheOpen},
		{"10.0.0.1:5", "192.0.2.7, 192.0.2.1", "https, http", "192.0.2.1", auth.InTheOpen}, // the first is the client's word
		{"10.0.0.1:5", "10.9.9.9, 10.0.0.2", "https", "10.9.9.9", auth.Secure},
		{"10.0.0.1:5", "192.0.2.1, nonsense", "https", "10.0.0.1", auth.Secure},
		{"[2001:db8:1::1]:5", "2001:db8:2::1", "https", "2001:db8:2::1", auth.Secure},
		{"192.0.2.9:5", "192.0.2.1", "https", "192.0.2.9", auth.InTheOpen},
		{"[::ffff:10.0.0.1]:5", "192.0.2.1", "https", "192.0.2.1", auth.Secure},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.from
		r.Header.Set("X-Forwarded-For", c.hops)
		r.Header.Set("X-Forwarded-Proto", c.protocols)
		trusted.ahead(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			from, err := netip.ParseAddrPort(r.RemoteAddr)
			if err != nil || from.Addr().String() != c.client || auth.WayOf(r) != c.way {
				t.Errorf("%+v: from %s, way %d", c, r.RemoteAddr, auth.WayOf(r))
			}
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
}

// TestRatesAreBounded: those who are known keep their own when others make up addresses.
func TestRatesAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	r := newRates(1, 1, func() time.Time { return now })
	mine := r.of("mine")
	if err := mine.take(0, now); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * ratesKept {
		if err := r.of(fmt.Sprint("made up ", i)).take(0, now); err != nil && i < ratesKept-1 {
			t.Fatal(err)
		}
	}
	if len(r.known) > ratesKept || r.of("mine") != mine {
		t.Errorf("%d are kept", len(r.known))
	}
	now = now.Add(time.Hour)
	if r.of("new") == r.others || len(r.known) > ratesKept {
		t.Error("who has rested is not forgotten")
	}
}
