package logstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"

	"oc-scheduler/jet"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// stream is the output that one reader asked for, on the node.
type stream struct {
	name, subject string
	conn          *nats.Conn
	codec         envelope.Codec
	server        Server
	clock         clockwork.Clock
	log           *slog.Logger

	heard time.Time               // from the reader; the listener's
	stop  context.CancelCauseFunc // nil for a stream that is only refused

	opened  atomic.Bool
	last    atomic.Uint64 // sequence of the last chunk that was published
	allowed atomic.Uint64
	freed   jet.Wake // wakes who waits for more to be allowed
	sent    uint64   // what its chunks cost
}

func (l *Listener) newStream(name string) *stream {
	return &stream{
		name: name, subject: nclprotocol.LogStreamSubject(l.cfg.NodeID, name),
		conn: l.cfg.Conn, codec: l.codec, server: l.cfg.Server, clock: l.cfg.Clock,
		log:   l.cfg.Logger.With("stream", name),
		heard: l.cfg.Clock.Now(),
		freed: jet.NewWake(),
	}
}

// grant allows more to be sent. Only the listener calls it.
func (s *stream) grant(allowed uint64) {
	if allowed <= s.allowed.Load() {
		return
	}
	s.allowed.Store(allowed)
	s.freed.Up()
}

// run sends the output and how it ended, unless nobody listens.
func (s *stream) run(ctx context.Context, r Request) {
	defer s.stop(nil)
	err := s.guarded(ctx, r)
	cause := context.Cause(ctx)
	s.log.DebugContext(ctx, "a log stream ended", "execution_id", r.ExecutionID, "error", err, "cause", cause)
	switch {
	case errors.Is(cause, errStopping), errors.Is(err, errUnsent):
		s.end(ctx, ending{Code: codeStopping})
	case cause != nil:
	case errors.Is(err, io.EOF):
		s.end(ctx, ending{Code: codeEnd})
	case errors.Is(err, ErrNotFound):
		s.end(ctx, ending{Code: codeNotFound})
	default:
		s.end(ctx, ending{codeFailed, ncl.Reason(err.Error())})
	}
}

// guarded is serve; a panic of the server, who may be anybody's, does not end the node.
func (s *stream) guarded(ctx context.Context, r Request) error {
	err := guard.Apart(func() error { return s.serve(ctx, r) })
	if p, is := errors.AsType[*guard.PanicError](err); is {
		s.log.ErrorContext(ctx, "the server of logs panicked", "execution_id", r.ExecutionID, "error", p, "stack", string(p.Stack))
		return errPanicked
	}
	return err
}

// serve sends the output. It never returns nil.
func (s *stream) serve(ctx context.Context, r Request) (err error) {
	reader, err := s.server.OpenLog(ctx, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	s.live()
	s.opened.Store(true)
	for {
		c, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		if c.Offset < uint64(len(c.Data)) {
			return fmt.Errorf("a chunk of %d bytes ends at offset %d", len(c.Data), c.Offset)
		}
		if err := s.send(ctx, c); err != nil {
			return err
		}
	}
}

// send publishes a chunk in pieces, each when the reader has room for it.
func (s *stream) send(ctx context.Context, c Chunk) error {
	for rest := c.Data; len(rest) > 0; {
		piece := c
		piece.Data = rest[:min(len(rest), MaxChunk)]
		rest = rest[len(piece.Data):]
		piece.Offset -= uint64(len(rest))
		if err := s.await(ctx, cost(piece)); err != nil {
			return err
		}
		if err := s.publish(s.last.Load()+1, piece); err != nil {
			return fmt.Errorf("%w: %w", errUnsent, err)
		}
		s.last.Add(1) // after it went out: live must not be ahead of it
	}
	return nil
}

// await waits until the reader allows that much more.
func (s *stream) await(ctx context.Context, cost uint64) error {
	for s.sent+cost > s.allowed.Load() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.freed:
		}
	}
	s.sent += cost
	return nil
}

// live tells the reader that the node lives, and up to where it has sent.
func (s *stream) live() { _ = s.publish(s.last.Load(), alive{}) } // comes again

func (s *stream) end(ctx context.Context, e ending) {
	if err := s.publish(s.last.Load()+1, e); err != nil {
		s.log.DebugContext(ctx, "the end of a stream was not sent", "code", e.Code, "error", err)
	}
}

func (s *stream) publish(sequence uint64, payload any) error {
	frame, err := s.codec.Encode(&envelope.Message{
		Header:  envelope.Header{Source: s.name, Sequence: sequence, Time: s.clock.Now()},
		Payload: payload,
	})
	if err != nil {
		return err
	}
	return s.conn.Publish(s.subject, frame)
}
