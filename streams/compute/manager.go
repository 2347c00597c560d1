package compute

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"oc-scheduler/streams/nclprotocol"
)

// ConnectionManager holds a node's connection to the scheduler: it connects, watches over it, and
// connects again when it is lost. All methods are safe for concurrent use.
type ConnectionManager struct {
	cfg      Config
	logger   *slog.Logger
	health   *HealthTracker
	states   *notifier
	incoming *incoming
	born     time.Time
	connect  connector
	pace     pace // belongs to run

	mu     sync.Mutex
	closed bool
	end    context.CancelFunc // ends the work; nil before Start
	abort  context.CancelFunc // ends the taking down, too
	done   chan struct{}      // closed when nothing runs any more, but perhaps handlers
	result error              // of the last taking down, once done is closed
}

// connector brings up one connection, and takes down what it brought up when it fails. The first
// context ends when it is to give up, the second when even that is over.
type connector func(life, grace context.Context) (link, error)

// link is a connection that stands.
type link interface {
	// lost gets an error when the link can't go on.
	lost() <-chan error
	// close takes it down. On purpose means that the node won't be back soon.
	close(ctx context.Context, onPurpose bool) error
}

// NewConnectionManager creates a new connection manager with the given configuration, what is zero set
// to defaults. It fails with every fault of the configuration at once. Nothing happens before Start.
func NewConnectionManager(cfg Config) (*ConnectionManager, error) {
	cfg.SetDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.DataPlaneMessageHandler = newSerial(cfg.DataPlaneMessageHandler)
	logger := cfg.Logger.With("component", "connection_manager")
	cm := &ConnectionManager{
		cfg:      cfg,
		logger:   logger,
		health:   NewHealthTracker(cfg.Clock),
		states:   newNotifier(logger),
		incoming: newIncoming(cfg),
		born:     cfg.Clock.Now().UTC(),
		pace:     newPace(cfg),
		done:     make(chan struct{}),
	}
	cm.connect = cm.openSession
	return cm, nil
}

// Start begins to connect, and returns: that nobody is there yet is no error. ctx is for Start alone;
// the connection lives until Close. It fails with ErrStarted, ErrClosed or ctx's error.
func (cm *ConnectionManager) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	cm.mu.Lock()
	defer cm.mu.Unlock()
	switch {
	case cm.closed:
		return ErrClosed
	case cm.end != nil:
		return ErrStarted
	}
	grace, abort := context.WithCancel(context.WithoutCancel(ctx))
	life, end := context.WithCancel(grace)
	cm.end, cm.abort = end, abort
	go cm.states.run()
	go cm.run(life, grace)
	return nil
}

// GetHealth returns what is known of the connection.
func (cm *ConnectionManager) GetHealth() nclprotocol.ConnectionHealth { return cm.health.GetHealth() }

// OnStateChange registers a handler of state changes, from the next one on. The manager waits for
// the handlers, called one after the other, before it goes on; they see each change once, in order. A
// handler may call all methods of the manager, Close included; one that panics is logged.
func (cm *ConnectionManager) OnStateChange(handler nclprotocol.ConnectionStateHandler) {
	cm.states.add(handler)
}
