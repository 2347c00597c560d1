package httpapi

import (
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// retryLimited is what a client above a limit is told to wait.
const retryLimited = 5 * time.Second

// limits counts open streams, all of them and those of each client.
type limits struct {
	max, maxPerClient int

	mu        sync.Mutex
	total     int
	perClient map[netip.Prefix]int
}

// enter counts a stream of a client in; leave, to be called once, counts it out. The error is a
// *Problem of status 429.
func (l *limits) enter(remote string) (leave func(), err error) {
	client := clientOf(remote)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.total >= l.max:
		return nil, newProblem(http.StatusTooManyRequests, "this replica serves %d streams at most", l.max).after(retryLimited)
	case l.perClient[client] >= l.maxPerClient:
		return nil, newProblem(http.StatusTooManyRequests, "one client may have %d streams at most", l.maxPerClient).after(retryLimited)
	}
	if l.perClient == nil {
		l.perClient = map[netip.Prefix]int{}
	}
	l.total++
	l.perClient[client]++
	return func() { l.leave(client) }, nil
}

func (l *limits) leave(client netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.perClient[client]--; l.perClient[client] == 0 {
		delete(l.perClient, client)
	}
}

// clientOf is what counts as one client: an IPv4 address, or the /64 that an IPv6 host usually has
// to itself. Whatever is no address counts as one client together.
func clientOf(remote string) netip.Prefix {
	addr, err := netip.ParseAddr(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr = addr.Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	prefix, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return prefix
}
