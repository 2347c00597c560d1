package natstest

import "time"

// Isolate stops all that passes between a server and the others, without closing anything, as a
// network does that loses packets. Its clients reach it still.
func (c *Cluster) Isolate(s *Server) { c.eachLink(s, (*Proxy).Hold) }

// Rejoin ends Isolate. What was held on the old links is lost with them.
func (c *Cluster) Rejoin(s *Server) { c.eachLink(s, (*Proxy).Reset) }

// Slow makes all come later by d that passes between a server and the others; 0 ends it.
func (c *Cluster) Slow(s *Server, d time.Duration) { c.eachLink(s, func(p *Proxy) { p.Delay(d) }) }

func (c *Cluster) eachLink(s *Server, f func(*Proxy)) {
	for ends, link := range c.links {
		if c.Servers[ends[0]] == s || c.Servers[ends[1]] == s {
			f(link)
		}
	}
}
