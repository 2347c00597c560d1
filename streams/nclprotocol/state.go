package nclprotocol

import "time"

// ConnectionState is where a connection stands.
type ConnectionState int

// States. A connection begins Disconnected and goes round in this order; it may fall back from
// Connecting, too.
const (
	Disconnected ConnectionState = iota
	Connecting
	Connected
)

// String is the state in lower case.
func (s ConnectionState) String() string {
	switch s {
	case Disconnected:
		return "disconnected"
	case Connecting:
		return "connecting"
	case Connected:
		return "connected"
	}
	return "unknown"
}

// ConnectionStateHandler is called with each new state.
type ConnectionStateHandler func(ConnectionState)

// ConnectionHealth is what a node knows of its connection. Times are zero for what never was.
type ConnectionHealth struct {
	StartTime               time.Time // of the tracking
	CurrentState            ConnectionState
	ConnectedSince          time.Time // zero unless Connected
	LastSuccessfulHeartbeat time.Time
	LastSuccessfulUpdate    time.Time // of node info
	LastSuccessfulOffer     time.Time // the present offer was accepted
	OfferRefused            string    // why the present offer is not taken; empty: it is, or was not told yet
	ConsecutiveFailures     int       // connections that were lost or failed since the last success
	LastError               error     // of the last loss; nil while connected
	OrdersGivenUp           uint64    // messages of the scheduler that were passed over: unreadable, or no try helps
	HandshakeRequired       bool      // the scheduler asked for it, or messages were lost
}
