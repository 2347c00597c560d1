package natstest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Cluster is servers that replicate JetStream among them. Their links to each other go through
// proxies, so that one can be partitioned away.
type Cluster struct {
	Servers []*Server
	links   map[[2]int]*Proxy // by the places of the one that connects and the other
}

// nowhere is what servers tell each other as their addresses, lest they find a way around the
// proxies.
const nowhere = "127.0.0.1:9"

// StartCluster runs n servers in this process until the test ends. Clients learn of all servers from
// the one they connect to.
func StartCluster(tb testing.TB, n int, change ...func(*server.Options)) *Cluster {
	tb.Helper()
	return startCluster(tb, n, embed, change)
}

// StartProcesses is StartCluster with a process for each server, which can be killed.
func StartProcesses(tb testing.TB, n int, change ...func(*server.Options)) *Cluster {
	tb.Helper()
	return startCluster(tb, n, spawn, change)
}

func startCluster(tb testing.TB, n int, begin func(server.Options) (runner, error), change []func(*server.Options)) *Cluster {
	tb.Helper()
	ports, monitors := freePorts(tb, n), freePorts(tb, n)
	c := &Cluster{links: map[[2]int]*Proxy{}}
	for i := range n {
		var routes []*url.URL
		for j := range n {
			if j == i {
				continue
			}
			link := StartProxy(tb, local(ports[j]))
			c.links[[2]int{i, j}] = link
			routes = append(routes, &url.URL{Scheme: "nats", Host: link.Addr()})
		}
		all := append([]func(*server.Options){func(o *server.Options) {
			o.ServerName = fmt.Sprintf("natstest-%d", i)
			o.Cluster = server.ClusterOpts{Name: "natstest", Host: "127.0.0.1", Port: ports[i], Advertise: nowhere}
			o.Routes = routes
			o.HTTPHost, o.HTTPPort = "127.0.0.1", monitors[i]
		}}, change...)
		c.Servers = append(c.Servers, launch(tb, begin, all...))
	}
	c.AwaitHealthy(tb)
	c.awaitPlaces(tb)
	return c
}

// URLs are where clients connect.
func (c *Cluster) URLs() []string {
	urls := make([]string, len(c.Servers))
	for i, s := range c.Servers {
		urls[i] = s.URL()
	}
	return urls
}

// Connect opens a connection as Server.Connect does, to whichever server answers.
func (c *Cluster) Connect(tb testing.TB, opts ...nats.Option) *nats.Conn {
	tb.Helper()
	return connect(tb, strings.Join(c.URLs(), ","), opts...)
}

// AwaitHealthy waits until a leader is there, and all servers that run are current with all that
// they store.
func (c *Cluster) AwaitHealthy(tb testing.TB) {
	tb.Helper()
	Eventually(tb, "the cluster is healthy", func() bool {
		if c.leader((*Server).metaLeaderSeen) == nil {
			return false
		}
		for _, s := range c.Servers {
			if s.Running() && !s.healthy() {
				return false
			}
		}
		return true
	})
}

// AwaitLed waits until all servers that run know the leaders of all streams and consumers. A server
// calls itself healthy a second or two before.
func (c *Cluster) AwaitLed(tb testing.TB) {
	tb.Helper()
	Eventually(tb, "all that is stored has a leader", func() bool {
		return !slices.ContainsFunc(c.Servers, func(s *Server) bool { return s.Running() && !s.led() })
	})
}

// MetaLeader waits for the server that decides where streams are.
func (c *Cluster) MetaLeader(tb testing.TB) *Server {
	tb.Helper()
	return c.awaitLeader(tb, "of the cluster", (*Server).metaLeaderSeen)
}

// StreamLeader waits for the server that leads a stream.
func (c *Cluster) StreamLeader(tb testing.TB, stream string) *Server {
	tb.Helper()
	return c.awaitLeader(tb, "of "+stream, func(s *Server) string { return s.streamLeaderSeen(stream) })
}

// ServerOf waits for the server that has the connection of that name.
func (c *Cluster) ServerOf(tb testing.TB, connection string) (found *Server) {
	tb.Helper()
	Eventually(tb, connection+" is connected", func() bool {
		for _, s := range c.Servers {
			if s.Running() && slices.Contains(s.clients(), connection) {
				found = s
				return true
			}
		}
		return false
	})
	return found
}

// Except are the URLs of all other servers.
func (c *Cluster) Except(s *Server) []string {
	return slices.DeleteFunc(c.URLs(), func(url string) bool { return url == s.URL() })
}

func (c *Cluster) awaitLeader(tb testing.TB, what string, seen func(*Server) string) (leader *Server) {
	tb.Helper()
	Eventually(tb, "a leader "+what, func() bool { leader = c.leader(seen); return leader != nil })
	return leader
}

// leader is the server that most take for the leader; nil while there is none.
func (c *Cluster) leader(seen func(*Server) string) *Server {
	votes := map[string]int{}
	for _, s := range c.Servers {
		if s.Running() {
			votes[seen(s)]++
		}
	}
	for name, n := range votes {
		if s := c.byName(name); s != nil && s.Running() && n > len(c.Servers)/2 {
			return s
		}
	}
	return nil
}

func (c *Cluster) byName(name string) *Server {
	for _, s := range c.Servers {
		if s.Name() == name {
			return s
		}
	}
	return nil
}
