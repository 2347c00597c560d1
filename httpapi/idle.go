package httpapi

import (
	"net"
	"net/http"
	"sync"
)

// How many connections are kept between two requests, for idleTimeout at most: of all clients, and of one address.
const (
	maxIdle      = 10_000
	maxIdleOfOne = 1000
)

// idle are the connections that wait for another request. net/http bounds how long, but not how many: whoever asks
// something on each of his would have them for nothing. One too many is closed after its answer, as any server may do.
type idle struct {
	most, mostOfOne int

	mu  sync.Mutex
	all map[net.Conn]string // by the network of the client
	of  map[string]int
}

func newIdle(most, mostOfOne int) *idle {
	return &idle{most: most, mostOfOne: mostOfOne, all: map[net.Conn]string{}, of: map[string]int{}}
}

// changed is net/http's word of a connection.
func (i *idle) changed(conn net.Conn, state http.ConnState) {
	if state != http.StateIdle {
		i.leave(conn)
	} else if !i.enter(conn) {
		_ = conn.Close() // the client sees it
	}
}

func (i *idle) enter(conn net.Conn) bool {
	client := networkOf(conn.RemoteAddr().String())
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, waits := i.all[conn]; waits {
		return true
	}
	if len(i.all) >= i.most || i.of[client] >= i.mostOfOne {
		return false
	}
	i.all[conn] = client
	i.of[client]++
	return true
}

func (i *idle) leave(conn net.Conn) {
	i.mu.Lock()
	defer i.mu.Unlock()
	client, waits := i.all[conn]
	if !waits {
		return
	}
	delete(i.all, conn)
	if i.of[client]--; i.of[client] == 0 {
		delete(i.of, client)
	}
}
