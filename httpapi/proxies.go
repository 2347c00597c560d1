package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"oc-scheduler/httpapi/auth"
)

// proxies are the networks whose machines say for whom they ask. What others say of that is theirs alone.
type proxies []netip.Prefix

// ahead has requests come from whom a trusted proxy asks for: the right-most address of X-Forwarded-For that is no
// trusted proxy's, by the protocol that X-Forwarded-Proto has for it.
func (p proxies) ahead(next http.Handler) http.Handler {
	if len(p) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && p.trusts(from.Addr()) {
			r = p.asked(r, from.Addr().Unmap())
		}
		next.ServeHTTP(w, r)
	})
}

// passedOn says whether a request bears a header that proxies add, be it empty. One that adds none can't be told from a
// client.
func passedOn(h http.Header) bool {
	for name := range h {
		switch name {
		case "Forwarded", "Via", "X-Real-Ip":
			return true
		}
		if strings.HasPrefix(name, "X-Forwarded-") {
			return true
		}
	}
	return false
}

func (p proxies) trusts(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	return slices.ContainsFunc(p, func(of netip.Prefix) bool { return of.Contains(addr) })
}

// asked is the request as the client made it to the first of the proxies.
func (p proxies) asked(r *http.Request, client netip.Addr) *http.Request {
	hops := listed(r.Header, "X-Forwarded-For")
	passed := 0 // of the proxies that say so
	for i, hop := range slices.Backward(hops) {
		addr, ok := hopOf(hop)
		if !ok {
			break // what is left of it is anybody's word
		}
		client, passed = addr, len(hops)-i
		if !p.trusts(addr) {
			break
		}
	}
	protocols := listed(r.Header, "X-Forwarded-Proto")
	secure := len(protocols) > 0 && strings.EqualFold(protocols[max(0, len(protocols)-max(passed, 1))], "https")
	forwarded := r.WithContext(auth.Forwarded(r.Context(), secure))
	forwarded.RemoteAddr = netip.AddrPortFrom(client, 0).String()
	return forwarded
}

// listed are the values of a list that may be spread over several headers.
func listed(h http.Header, name string) (values []string) {
	for _, line := range h.Values(name) {
		for value := range strings.SplitSeq(line, ",") {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// hopOf reads an address, with or without a port.
func hopOf(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return addr.Unmap().WithZone(""), err == nil
}
