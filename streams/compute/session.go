package compute

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/deadline"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// session is one life of a connection: a client of its own, the reading of the scheduler's messages,
// and both planes. It is made, used and closed by one goroutine.
type session struct {
	cfg      Config
	health   *HealthTracker
	incoming *incoming
	tracker  *nclprotocol.SequenceTracker // of incoming, for this session
	born     time.Time
	name     string
	logger   *slog.Logger
	ended    chan error // why it can't go on; the first reason counts
	closing  chan struct{}
	watching sync.WaitGroup // whoever calls end

	// In the order in which they come up; nil: not yet.
	client    *nats.Conn
	status    chan nats.Status
	requester ncl.Publisher
	inbound   *ncl.Subscriber
	control   *ControlPlane
	data      *DataPlane

	// What the handshake said.
	nodeInfo         nclprotocol.NodeInfo
	processed        uint64 // the last order, before the scheduler said where to go on
	lastNodeSequence uint64
}

// openSession is the connector of a manager.
func (cm *ConnectionManager) openSession(life, grace context.Context) (link, error) {
	name := rand.Text()
	s := &session{
		cfg:      cm.cfg,
		health:   cm.health,
		incoming: cm.incoming,
		tracker:  cm.incoming.renew(),
		born:     cm.born,
		name:     name,
		logger:   cm.logger.With("session", name),
		ended:    make(chan error, 1),
		closing:  make(chan struct{}),
	}
	s.cfg.Logger = s.cfg.Logger.With("session", name)
	if err := s.open(life); err != nil {
		cm.giveUp(grace, s)
		return nil, err
	}
	s.logger.InfoContext(life, "connected", "last_node_sequence", s.lastNodeSequence,
		"last_scheduler_sequence", s.tracker.LastSequence())
	return s, nil
}

// giveUp takes down what came up of a session. Its error is of no interest beside that of coming up.
func (cm *ConnectionManager) giveUp(grace context.Context, s *session) {
	ctx, cancel := deadline.WithTimeout(grace, cm.cfg.Clock, cm.cfg.RequestTimeout)
	defer cancel()
	if err := s.close(ctx, false); err != nil {
		s.logger.WarnContext(ctx, "failed connection did not come down cleanly", "error", err)
	}
}

// open brings up all parts. The order matters: messages from the scheduler are received before it
// knows of the session, and events are sent from where it says that it stands. What a node has brought along
// may panic: then the step has failed.
func (s *session) open(ctx context.Context) error {
	for _, step := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"connect to NATS", s.connect},
		{"subscribe", s.subscribe},
		{"handshake", s.handshake},
		{"control plane", s.startControl},
		{"data plane", s.startData},
	} {
		if err := guard.Apart(func() error { return step.do(ctx) }); err != nil {
			return fmt.Errorf("%s: %w", step.name, s.because(err))
		}
	}
	return nil
}

// because adds what the server has said: a lack of rights shows as nothing but silence.
func (s *session) because(err error) error {
	if s.client == nil || s.client.LastError() == nil || errors.Is(err, s.client.LastError()) {
		return err
	}
	return fmt.Errorf("%w (%w)", err, s.client.LastError())
}

func (s *session) lost() <-chan error { return s.ended }

// end says why the session can't go on, unless that is known already.
func (s *session) end(err error) {
	select {
	case s.ended <- err:
	default:
	}
}

// close takes the parts down, last first, and the client whatever becomes of the others. On purpose,
// the scheduler is told, once nothing is processed any more.
func (s *session) close(ctx context.Context, onPurpose bool) error {
	close(s.closing)
	var faults []error
	if s.data != nil {
		faults = append(faults, wrap("data plane", s.data.Stop(ctx)))
	}
	if s.inbound != nil {
		faults = append(faults, wrap("inbound messages", s.inbound.Close(ctx)))
	}
	if s.control != nil {
		faults = append(faults, wrap("control plane", s.control.Stop(ctx)))
		if onPurpose {
			s.control.sayGoodbye(ctx, "the node shuts down")
		}
	}
	s.hangUp()
	return errors.Join(faults...)
}
