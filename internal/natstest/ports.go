package natstest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
)

// Ports are taken from below those that systems give to outgoing connections (Linux: 32768 and up):
// the port of a server that is stopped must still be free when it starts again. So each process of
// tests has a share of its own, and gives a port to one test at a time. Who listens on the first port of a
// share has it.
const (
	firstPort = 20_000
	shares    = 24
	share     = 500
)

var given = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// ownShare listens on the first port of the share that this process takes when it first needs one, and keeps.
var ownShare = sync.OnceValues(func() (net.Listener, error) { return takeShare(os.Getpid()) })

// takeShare listens on the first port of a share that nobody has; it tries that of the number first.
func takeShare(number int) (net.Listener, error) {
	var lc net.ListenConfig
	var failed []error
	for i := range shares {
		l, err := lc.Listen(context.Background(), "tcp", local(firstPort+(number+i)%shares*share))
		if err == nil {
			return l, nil
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

// freePorts finds ports that nobody listens on, for as long as the test lasts: servers have to know
// those of each other before they start.
func freePorts(tb testing.TB, n int) []int {
	tb.Helper()
	own, err := ownShare()
	if err != nil {
		tb.Fatalf("natstest: all ports are taken: %v", err)
	}
	first := own.Addr().(*net.TCPAddr).Port
	ports := make([]int, 0, n)
	for range 100 * share {
		if len(ports) == n {
			return ports
		}
		if port := first + 1 + rand.N(share-1); take(tb, port) {
			ports = append(ports, port)
		}
	}
	tb.Fatalf("natstest: no %d free ports", n)
	return nil
}

// take gives the port to the test, unless somebody has it.
func take(tb testing.TB, port int) bool {
	tb.Helper()
	given.Lock()
	defer given.Unlock()
	if given.ports[port] {
		return false
	}
	var lc net.ListenConfig
	l, err := lc.Listen(tb.Context(), "tcp", local(port))
	if err != nil {
		return false
	}
	_ = l.Close()
	given.ports[port] = true
	tb.Cleanup(func() {
		given.Lock()
		defer given.Unlock()
		delete(given.ports, port)
	})
	return true
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
