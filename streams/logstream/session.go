package logstream

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// brokenError ends a stream that can be asked for anew.
type brokenError struct{ reason string }

func (e brokenError) Error() string { return e.reason }

var errOffline = brokenError{"the connection to NATS was lost"}

// session is one stream that a remote has asked for. Each has a name of its own, so that nothing of an
// earlier one is taken for its own.
type session struct {
	*remote
	name      string
	heard     time.Time
	last      uint64 // sequence of the last chunk
	got       uint64 // what its chunks cost
	announced uint64 // what the node is allowed to send
}

// read asks for the stream and receives it until it ends or breaks. It never returns nil.
func (r *remote) read(ctx context.Context) error {
	s := &session{remote: r, name: rand.Text()}
	s.announced = s.allowed()
	for len(r.lost) > 0 { // of an earlier session
		<-r.lost
	}
	arrived := make(chan *nats.Msg, 2*cap(r.chunks))
	sub, err := r.Conn.ChanSubscribe(nclprotocol.LogStreamSubject(r.node, s.name), arrived)
	if err != nil {
		return errors.Join(ErrLost, err)
	}
	err = s.receiveAll(ctx, arrived)
	_ = sub.Unsubscribe() // it fails when the connection is gone, and the subscription with it
	s.say(closing{})
	return err
}

func (s *session) receiveAll(ctx context.Context, arrived <-chan *nats.Msg) error {
	tick := s.Clock.NewTicker(s.KeepAlive)
	defer tick.Stop()
	s.ask()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m := <-arrived:
			if err := s.receive(m); err != nil {
				return err
			}
		case <-s.wake:
			s.grant(window / 4)
		case status := <-s.lost:
			if status != nats.CONNECTED {
				return errOffline
			}
		case <-tick.Chan():
			if err := s.look(); err != nil {
				return err
			}
		}
	}
}

// look repeats what the node needs to hear, unless it is silent for too long.
func (s *session) look() error {
	switch now := s.Clock.Now(); {
	case !now.Before(s.goneAt):
		return ErrNodeGone
	case s.heard.IsZero():
		s.ask()
	case now.Sub(s.heard) >= s.Silence:
		return brokenError{"the node is silent"}
	default:
		s.grant(0)
	}
	return nil
}

// allowed is what the node may send in this session: all but what waits to be read.
func (s *session) allowed() uint64 { return s.got + window - (s.received - s.taken.Load()) }

// grant allows more when that is at least so much more.
func (s *session) grant(least uint64) {
	if allowed := s.allowed(); !s.heard.IsZero() && allowed-s.announced >= least {
		s.announced = allowed
		s.say(credit{allowed})
	}
}

// ask opens the stream; the node ignores it when it has heard that before.
func (s *session) ask() { s.say(openRequest{s.request, s.announced}) }

// say publishes to the node. Nothing depends on a single message: each comes again, or means no more
// than a later silence.
func (s *session) say(payload any) {
	m := nats.NewMsg(nclprotocol.LogSubject(s.node))
	m.Header.Set(streamHeader, s.name)
	frame, err := s.codec.Encode(&envelope.Message{
		Header:  envelope.Header{Source: s.name, Time: s.Clock.Now()},
		Payload: payload,
	})
	if err == nil {
		m.Data = frame
		err = s.Conn.PublishMsg(m)
	}
	if err != nil {
		s.Logger.Debug("a message to a node was not sent", "node", s.node, "error", err)
	}
}

// receive takes a message of the node.
func (s *session) receive(m *nats.Msg) error {
	if reason := m.Header.Get(errorHeader); reason != "" {
		return &ncl.RefusedError{Reason: ncl.Reason(reason)}
	}
	message, err := s.codec.Decode(m.Data)
	if _, other := errors.AsType[*envelope.VersionError](err); other {
		return err
	}
	if err != nil {
		return brokenError{ncl.Reason(err.Error())}
	}
	s.heard = s.Clock.Now()
	s.goneAt = s.heard.Add(s.NodeGone)
	if err := s.accept(message); err != nil {
		return err
	}
	if !s.began {
		s.began = true
		close(s.opened)
	}
	return nil
}
