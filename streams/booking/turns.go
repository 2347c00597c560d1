package booking

import (
	"context"
	"sync"
)

// turns has those who book at the same peers do so one after the other, in the order in which they came. Who would
// decide on the same instances at the same moment is overtaken by all but one, and decides anew for nothing: many of
// them would come to nothing in time. Other replicas are met by compare-and-swap, and are few.
type turns struct {
	mu sync.Mutex
	of map[string]*turn // by peer, while somebody has or awaits it
}

type turn struct {
	taken chan struct{} // capacity 1
	users int
}

// take waits for the turn at each of the peers, which are sorted, so that nobody waits for one who waits for him. It
// fails with ErrBusy when ctx ends before.
func (t *turns) take(ctx context.Context, peers []string) (leave func(), err error) {
	var has []string
	leave = func() {
		for _, peerID := range has {
			t.leave(peerID, true)
		}
	}
	for _, peerID := range peers {
		select {
		case t.join(peerID) <- struct{}{}:
			has = append(has, peerID)
		case <-ctx.Done():
			t.leave(peerID, false)
			leave()
			return nil, ErrBusy
		}
	}
	return leave, nil
}

func (t *turns) join(peerID string) chan<- struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]*turn{}
	}
	if t.of[peerID] == nil {
		t.of[peerID] = &turn{taken: make(chan struct{}, 1)}
	}
	t.of[peerID].users++
	return t.of[peerID].taken
}

func (t *turns) leave(peerID string, had bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.of[peerID]
	if had {
		<-at.taken
	}
	if at.users--; at.users == 0 {
		delete(t.of, peerID)
	}
}
