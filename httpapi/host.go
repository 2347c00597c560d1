package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
)

// names are the host names, in lower case, under which clients may reach a loopback address, besides IP
// addresses, localhost and all other names without a dot: those are the local network's, which is trusted.
// A page of the Internet whose own name was made to lead here (DNS rebinding) is no foreign origin to a
// browser, nor by its headers; but it can't take the name out of Host.
type names []string

// namesOf are the machine's name and the hosts of the origins, which were validated.
func namesOf(o origins) names {
	var n names
	if machine, err := os.Hostname(); err == nil {
		n = append(n, plainName(machine))
	}
	for _, entry := range o {
		if u, err := url.Parse(entry); err == nil {
			n = append(n, plainName(u.Hostname()))
		}
	}
	return n
}

// lead says whether a Host header's value may stand for this machine. None at all is HTTP/1.0, which a
// load balancer's health check may speak, and no browser.
func (n names) lead(host string) bool {
	if host == "" {
		return true
	}
	name := plainName((&url.URL{Host: host}).Hostname())
	switch {
	case name == "":
		return false
	case !strings.Contains(name, "."), strings.HasSuffix(name, ".localhost"): // the latter is never asked of DNS (RFC 6761, section 6.3)
		return true
	case slices.Contains(n, name):
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

func plainName(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// check refuses with a *Problem of status 403 what comes over a loopback address under a foreign name.
// Other addresses have names that only their operators know.
func (n names) check(r *http.Request) error {
	if overLoopback(r) && !n.lead(r.Host) {
		return newProblem(http.StatusForbidden, "host %.100q is no name of this machine; --allow-origin lists those that lead here", r.Host)
	}
	return nil
}

func overLoopback(r *http.Request) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && at.IP.IsLoopback()
}
