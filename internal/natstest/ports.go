package natstest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports are taken from below those that systems give to outgoing connections (Linux: 32768 and up):
// the port of a server that is stopped must still be free when it starts again.
const firstPort, lastPort = 20_000, 31_999

// freePorts finds ports that nobody listens on: servers have to know those of each other before
// they start.
func freePorts(tb testing.TB, n int) []int {
	tb.Helper()
	ports := make([]int, 0, n)
	var lc net.ListenConfig
	for range 1000 {
		if len(ports) == n {
			return ports
		}
		port := firstPort + rand.N(lastPort-firstPort+1)
		l, err := lc.Listen(tb.Context(), "tcp", local(port))
		if err != nil {
			continue
		}
		defer func() { _ = l.Close() }() // all at the end, so that no port is found twice
		ports = append(ports, port)
	}
	tb.Fatalf("natstest: no %d free ports", n)
	return nil
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
