package peer

import (
	"encoding/json"
	"time"
)

// Amounts are named quantities, e.g. ram_gb. They may be one level deep in a planner; a demo needs
// no more than flat ones.
type Amounts map[string]float64

// Capacities are what a peer has: resource → instance → amounts.
type Capacities map[string]map[string]Amounts

// slot is a booking as a planner shows it.
type slot struct {
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	InstanceID string    `json:"instance_id"`
	BookingID  string    `json:"booking_id"`
	Usage      Amounts   `json:"usage"`
}

// planner is what a peer publishes about itself.
type planner struct {
	PeerID      string            `json:"peer_id"`
	GeneratedAt time.Time         `json:"generated_at"`
	Capacities  Capacities        `json:"capacities"`
	Schedule    map[string][]slot `json:"schedule"`
}

// planner writes the ledger down as a planner of the peer.
func (l *ledger) planner(peerID string, now time.Time) ([]byte, error) {
	schedule := map[string][]slot{}
	for _, b := range l.bookings {
		schedule[b.resource] = append(schedule[b.resource], slot{b.start.UTC(), b.end.UTC(), b.instance, b.id, b.usage})
	}
	return json.Marshal(planner{peerID, now.UTC(), l.capacities, schedule})
}
