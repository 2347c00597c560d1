package orchestrator

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/store/id"
)

// Defaults of Config.
const (
	DefaultHandshakesPerSecond = 50
	DefaultLeaseTTL            = 15 * time.Second
)

// Config is what a replica's end of the connection needs to know.
type Config struct {
	ReplicaID string
	// Copies is the replication of the streams: 1, 3 or 5; 0: 1.
	Copies int
	// ManualApproval lets new nodes wait for an operator; else they are approved when they come.
	ManualApproval bool
	// ProvenPeers refuses nodes whose ids do not begin with their peers': rights to subjects of an id then are
	// rights to speak for a peer.
	ProvenPeers bool
	// HandshakesPerSecond bounds how fast this replica lets nodes in; more wait for a few seconds. 0:
	// DefaultHandshakesPerSecond.
	HandshakesPerSecond float64
	// LeaseTTL is how long a partition's holder may be silent before another replica takes over; 0:
	// DefaultLeaseTTL, which outlasts the election of a leader in NATS.
	LeaseTTL time.Duration

	// Handler is given the events of the nodes; nil: Executions.
	Handler Handler
	Logger  *slog.Logger          // nil: none
	Metrics prometheus.Registerer // nil: none
}

// Validate reports every fault.
func (c Config) Validate() error {
	var err error
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			err = errors.Join(err, fmt.Errorf(format, args...))
		}
	}
	if e := id.Check(c.ReplicaID); e != nil {
		fault(true, "ReplicaID: %w", e)
	}
	fault(c.Copies < 0, "Copies %d is negative", c.Copies)
	fault(c.HandshakesPerSecond < 0, "HandshakesPerSecond %v is negative", c.HandshakesPerSecond)
	fault(c.LeaseTTL < 0, "LeaseTTL %v is negative", c.LeaseTTL)
	return err
}

func (c Config) withDefaults() Config {
	c.Copies = cmp.Or(c.Copies, 1)
	c.HandshakesPerSecond = cmp.Or(c.HandshakesPerSecond, DefaultHandshakesPerSecond)
	c.LeaseTTL = cmp.Or(c.LeaseTTL, DefaultLeaseTTL)
	if c.Handler == nil {
		c.Handler = Executions{}
	}
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler)).With("component", "orchestrator")
	return c
}
