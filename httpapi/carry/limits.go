package carry

import (
	"fmt"
	"net/netip"
	"sync"
)

// LimitError says that a client has too many streams open, or that all have.
type LimitError struct {
	Limit  int
	Client bool // of one client; else of all
}

// Error says what may be open.
func (e *LimitError) Error() string {
	if e.Client {
		return fmt.Sprintf("one client may have %d streams at most", e.Limit)
	}
	return fmt.Sprintf("this replica serves %d streams at most", e.Limit)
}

// limits counts open streams, all of them and those of each client.
type limits struct {
	max, maxPerClient int

	mu        sync.Mutex
	total     int
	perClient map[netip.Prefix]int
}

// enter counts a stream of a client in, which has to leave later. The error is a *LimitError.
func (l *limits) enter(client netip.Prefix) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.total >= l.max:
		return &LimitError{Limit: l.max}
	case l.perClient[client] >= l.maxPerClient:
		return &LimitError{Limit: l.maxPerClient, Client: true}
	}
	if l.perClient == nil {
		l.perClient = map[netip.Prefix]int{}
	}
	l.total++
	l.perClient[client]++
	return nil
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
func clientOf(address string) netip.Prefix {
	addr, err := netip.ParseAddr(address)
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
