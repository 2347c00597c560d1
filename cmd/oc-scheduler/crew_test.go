package main

import (
	"sync"
	"testing"

	"oc-scheduler/internal/fleettest"
)

// crew is replicas in processes of their own, any of which may be dead.
type crew struct {
	program fleettest.Program // of who starts from now on
	flags   []string          // of each

	mu       sync.Mutex
	replicas []*fleettest.Replica // nil: it is dead
}

func newCrew(t *testing.T, n int, flags ...string) *crew {
	t.Helper()
	return crewOf(t, itself(), n, flags...)
}

func crewOf(t *testing.T, program fleettest.Program, n int, flags ...string) *crew {
	t.Helper()
	c := &crew{program: program, flags: flags, replicas: make([]*fleettest.Replica, n)}
	for i := range n {
		c.start(t, i)
	}
	return c
}

// start has a replica live, again.
func (c *crew) start(t *testing.T, i int) {
	t.Helper()
	r := c.program.Start(t, c.flags...)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replicas[i] = r
}

// roll has another one take a replica's place, and waits for the end of that.
func (c *crew) roll(t *testing.T, i int) {
	t.Helper()
	c.mu.Lock()
	was := c.replicas[i]
	c.mu.Unlock()
	c.start(t, i)
	end(t, was)
}

func (c *crew) kill(i int) {
	c.mu.Lock()
	r := c.replicas[i]
	c.replicas[i] = nil
	c.mu.Unlock()
	r.Kill()
}

// alive is where those answer that live.
func (c *crew) alive() (urls []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.replicas {
		if r != nil {
			urls = append(urls, r.URL)
		}
	}
	return urls
}

// any is where some replica answers.
func (c *crew) any() string { return c.one(0) }

// one is the n-th that lives; empty: none does.
func (c *crew) one(n int) string {
	alive := c.alive()
	if len(alive) == 0 {
		return ""
	}
	return alive[n%len(alive)]
}
