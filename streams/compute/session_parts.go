package compute

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/streams/deadline"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// connect opens the client. That it was ever lost ends the session, for what was under way is in doubt.
func (s *session) connect(ctx context.Context) error {
	codec, err := controlCodec(s.cfg.MessageSerializer)
	if err != nil {
		return err
	}
	ctx, cancel := deadline.WithTimeout(ctx, s.cfg.Clock, s.cfg.RequestTimeout)
	defer cancel()
	client, err := s.cfg.ClientFactory.CreateClient(ctx)
	switch {
	case err != nil:
		return err
	case client == nil:
		return errors.New("the client factory made no client")
	}
	s.client = client
	s.requester = &requester{Publisher: ncl.NewPublisher(client, codec), session: s.name, clock: s.cfg.Clock}
	s.hearRefusals()
	s.watchClient()
	if !client.IsConnected() {
		return fmt.Errorf("%w: client is %v", ErrConnectionLost, client.Status())
	}
	return nil
}

func (s *session) watchClient() {
	status := s.client.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	s.status = status
	s.watching.Go(func() {
		if now, more := <-status; more {
			s.end(fmt.Errorf("%w: client is %v", ErrConnectionLost, now))
		}
	})
}

// hearRefusals hears what the server refuses for a lack of rights, which else shows as silence, and tells
// whoever heard it before.
func (s *session) hearRefusals() {
	before := s.client.ErrorHandler()
	s.client.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			s.refused(err)
		}
		if before != nil {
			before(nc, sub, err)
		}
	})
}

// refused ends the session: without its rights it can't do what it is for. Only output may be missing.
func (s *session) refused(err error) {
	s.logger.Warn("NATS refuses what a node needs", "error", err)
	if !strings.Contains(err.Error(), nclprotocol.LogSubject(s.cfg.NodeID)) {
		s.end(err)
	}
}

// hangUp closes the client, when nobody takes that for a loss any more.
func (s *session) hangUp() {
	if s.client == nil {
		return
	}
	s.client.RemoveStatusListener(s.status)
	s.watching.Wait()
	s.client.Close()
}

// subscribe makes sure that all messages from the scheduler are received that come once it has
// accepted the handshake. None is handled before.
func (s *session) subscribe(ctx context.Context) error {
	js, err := jetstream.New(s.client)
	if err != nil {
		return err
	}
	s.inbound, err = ncl.NewSubscriber(ncl.SubscriberConfig{
		JetStream: js,
		Stream:    nclprotocol.InStream,
		Consumer:  nclprotocol.InConsumer(s.cfg.NodeID),
		Codec:     envelope.Codec{Serializer: s.cfg.MessageSerializer, Registry: s.cfg.MessageRegistry},
		Handler:   s.cfg.DataPlaneMessageHandler,
		Tracker:   s.tracker,
		OnEnd:     s.inboundEnded,
		OnSkip:    func(error) { s.health.orderGivenUp() }, // which the Subscriber has logged
		Clock:     s.cfg.Clock,
		Logger:    s.cfg.Logger,
	})
	if err != nil {
		return err
	}
	ctx, cancel := deadline.WithTimeout(ctx, s.cfg.Clock, s.cfg.RequestTimeout)
	defer cancel()
	return s.inbound.Subscribe(ctx)
}

// inboundEnded asks for another session, which makes good what may be missing.
func (s *session) inboundEnded(err error) {
	select {
	case <-s.closing:
		return
	default:
	}
	if errors.Is(err, ncl.ErrBehind) { // it was no good place to begin: the next one is asked for from before
		s.tracker.Reset(min(s.processed, s.tracker.LastSequence()))
	}
	err = fmt.Errorf("messages from the scheduler: %w", err)
	s.end(err)
	s.health.requireHandshake(err)
}

func (s *session) startControl(ctx context.Context) (err error) {
	s.control, err = NewControlPlane(ControlPlaneParams{
		Config:             s.cfg,
		Requester:          s.requester,
		HealthTracker:      s.health,
		IncomingSeqTracker: s.tracker,
		CheckpointName:     s.incoming.name,
		NodeInfo:           s.nodeInfo,
	})
	if err != nil {
		return err
	}
	return s.control.Start(ctx)
}

func (s *session) startData(ctx context.Context) (err error) {
	s.data, err = NewDataPlane(DataPlaneParams{
		Config:             s.cfg,
		Client:             s.client,
		LastReceivedSeqNum: s.lastNodeSequence,
	})
	if err != nil {
		return err
	}
	if err := s.data.Start(ctx); err != nil {
		return err
	}
	s.watchDispatcher(s.data.Dispatcher)
	return nil
}

// watchDispatcher ends the session with the dispatcher, which goes on whatever happens but for a ledger
// that was closed.
func (s *session) watchDispatcher(d *dispatcher.Dispatcher) {
	s.watching.Go(func() {
		select {
		case <-d.Done():
			s.end(errors.Join(errDispatcherEnded, d.State().LastError))
		case <-s.closing:
		}
	})
}
