package natstest

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// StartCluster runs n servers that replicate JetStream among them until the test ends. Clients learn
// of all servers from the one they connect to.
func StartCluster(tb testing.TB, n int) []*Server {
	tb.Helper()
	ports := freePorts(tb, n)
	routes := make([]*url.URL, n)
	for i, port := range ports {
		routes[i] = &url.URL{Scheme: "nats", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	}
	servers := make([]*Server, n)
	for i, port := range ports {
		servers[i] = Start(tb, func(o *server.Options) {
			o.ServerName = fmt.Sprintf("natstest-%d", i)
			o.Cluster = server.ClusterOpts{Name: "natstest", Host: "127.0.0.1", Port: port}
			o.Routes = routes
		})
	}
	Eventually(tb, "the cluster has a leader", func() bool {
		leaders := 0
		for _, s := range servers {
			running := s.server()
			if running == nil || !running.JetStreamIsCurrent() {
				return false
			}
			if running.JetStreamIsLeader() {
				leaders++
			}
		}
		return leaders == 1
	})
	return servers
}

func (s *Server) server() *server.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// freePorts finds ports that nobody listens on: servers have to know those of each other before
// they start.
func freePorts(tb testing.TB, n int) []int {
	tb.Helper()
	var lc net.ListenConfig
	ports := make([]int, n)
	for i := range ports {
		l, err := lc.Listen(tb.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatalf("natstest: %v", err)
		}
		defer func() { _ = l.Close() }() // all at the end, so that no port is found twice
		addr, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			tb.Fatalf("natstest: listening on %v", l.Addr())
		}
		ports[i] = addr.Port
	}
	return ports
}
