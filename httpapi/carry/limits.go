package carry

import (
	"fmt"
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
	perClient map[string]int
}

// enter counts a stream of a client in, which has to leave later. The error is a *LimitError.
func (l *limits) enter(client string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.total >= l.max:
		return &LimitError{Limit: l.max}
	case l.perClient[client] >= l.maxPerClient:
		return &LimitError{Limit: l.maxPerClient, Client: true}
	}
	if l.perClient == nil {
		l.perClient = map[string]int{}
	}
	l.total++
	l.perClient[client]++
	return nil
}

func (l *limits) leave(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.perClient[client]--; l.perClient[client] == 0 {
		delete(l.perClient, client)
	}
}
