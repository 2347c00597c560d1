package demand

import (
	"maps"
	"slices"
	"sync"
)

// wants counts this replica's streams per peer and remembers what the fleet's lists say of us.
type wants struct {
	mu      sync.Mutex
	peers   map[string]*want
	unheard map[string]struct{} // those of whom want.unheard is true
}

// want is the state of one peer. An entry lives while it says anything.
type want struct {
	watchers int
	since    uint64  // the claim that stood when the last of them came, see store.Asking
	unheard  bool    // they wait, and no planner of anybody has come meanwhile
	once     bool    // its planner is to be asked for once, watched or not
	listed   bool    // the fleet's list names this replica, as far as we know
	failures int     // attempts in a row that failed
	closed   *closed // what this replica has closed, while what follows is still to be done
}

// unlisted: the list has to be changed.
func (w want) unlisted() bool { return w.listed != (w.watchers > 0) }

func newWants() *wants { return &wants{peers: map[string]*want{}, unheard: map[string]struct{}{}} }

// change applies f to the peer's state and returns the new state.
func (ws *wants) change(peerID string, f func(*want)) want {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w := ws.peers[peerID]
	if w == nil {
		w = &want{}
		ws.peers[peerID] = w
	}
	f(w)
	if w.unheard = w.unheard && w.watchers > 0; w.unheard {
		ws.unheard[peerID] = struct{}{}
	} else {
		delete(ws.unheard, peerID)
	}
	if w.watchers == 0 && !w.listed && !w.once && w.closed == nil {
		delete(ws.peers, peerID)
	}
	return *w
}

func (ws *wants) get(peerID string) want {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w := ws.peers[peerID]; w != nil {
		return *w
	}
	return want{}
}

// taken returns the peers in whose lists this replica takes itself to be.
func (ws *wants) taken() (peerIDs []string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for peerID, w := range ws.peers {
		if w.listed {
			peerIDs = append(peerIDs, peerID)
		}
	}
	return peerIDs
}

// takeUnheard returns the peers who are unheard of, who no longer are.
func (ws *wants) takeUnheard() []string {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if len(ws.unheard) == 0 {
		return nil
	}
	taken := slices.Collect(maps.Keys(ws.unheard))
	for _, peerID := range taken {
		ws.peers[peerID].unheard = false
	}
	clear(ws.unheard)
	return taken
}

// Watch registers the interest of one stream in the planners of peers until release is called
// (more than once is harmless). It does not block: planners that are missing are asked for, and the
// fleet's lists are changed, in the background.
func (s *Service) Watch(peerIDs []string) (release func()) {
	peerIDs = slices.Compact(slices.Sorted(slices.Values(peerIDs)))
	for _, id := range peerIDs {
		missing := !s.cached(id)
		w := s.begin(id, func(w *want) {
			w.unheard = w.unheard || missing && w.watchers == 0
			w.watchers++
		})
		if w.unlisted() || missing {
			s.queue.Add(id)
		}
	}
	return sync.OnceFunc(func() {
		for _, id := range peerIDs {
			if s.wants.change(id, func(w *want) { w.watchers-- }).unlisted() {
				s.queue.Add(id)
			}
		}
	})
}

// begin is a change after which streams want the peer's planner anew.
func (s *Service) begin(peerID string, f func(*want)) want {
	claim, _ := s.store.Requests.View().Get(peerID)
	return s.wants.change(peerID, func(w *want) {
		w.since = claim.Revision
		f(w)
	})
}

// once has the peer's planner asked for if nobody has it, although nobody need watch it.
func (s *Service) once(peerID string) {
	if !s.cached(peerID) {
		s.wants.change(peerID, func(w *want) { w.once = true })
		s.queue.Add(peerID)
	}
}
