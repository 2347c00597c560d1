package natstest

import (
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
)

// Ports are taken from below those that systems give to outgoing connections (Linux: 32768 and up):
// the port of a server that is stopped must still be free when it starts again. So each process of
// tests has a share of its own, and gives a port to one test at a time.
const (
	firstPort = 20_000
	shares    = 24
	share     = 500
)

var given = struct {
	sync.Mutex
	ports map[int]bool
}{ports: map[int]bool{}}

// freePorts finds ports that nobody listens on, for as long as the test lasts: servers have to know
// those of each other before they start.
func freePorts(tb testing.TB, n int) []int {
	tb.Helper()
	ports := make([]int, 0, n)
	for range 100 * share {
		if len(ports) == n {
			return ports
		}
		if port := firstPort + os.Getpid()%shares*share + rand.N(share); take(tb, port) {
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
