package fleettest

import (
	"encoding/json"
	"fmt"
	"time"
)

// Loss is what a stream was told: that a planner is missing which it has shown before.
type Loss struct {
	PeerID string
	At     time.Time // by the clock of who told
}

func (s *Stream) take(frame []byte) {
	var r struct {
		Type      string
		Version   string
		Resources []struct {
			Peer      string `json:"peer_id"`
			Conflicts []struct{ Free int }
		}
		Missing []string  `json:"missing_planners"`
		At      time.Time `json:"computed_at"`
	}
	err := json.Unmarshal(frame, &r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || r.Type != "result" {
		s.lastFail = "frame " + string(frame)
		return
	}
	s.version = r.Version
	for _, resource := range r.Resources {
		s.shown[resource.Peer] = 0
		for _, c := range resource.Conflicts {
			s.shown[resource.Peer] = total - c.Free
		}
	}
	for _, peer := range r.Missing {
		if s.shown[peer] > 0 {
			s.losses = append(s.losses, Loss{peer, r.At})
		}
		s.shown[peer] = -1
	}
}

// Version is that of the newest result that the stream has shown; empty: none yet.
func (s *Stream) Version() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Lacks says what the stream does not show of the levels of its peers; "" when it is current.
func (s *Stream) Lacks(levels map[string]int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.shown) == 0 {
		return s.path + " shows nothing: " + s.lastFail
	}
	for peer, level := range s.shown {
		if want, known := levels[peer]; known && level != want {
			return fmt.Sprintf("%s shows %d of %s, not %d; closed %v, last failure %q", s.path, level, peer, want, s.closed, s.lastFail)
		}
	}
	return ""
}

// Losses are those since the last call.
func (s *Stream) Losses() []Loss {
	s.mu.Lock()
	defer s.mu.Unlock()
	losses := s.losses
	s.losses = nil
	return losses
}
