package httpapi

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/streams/check"
)

// wsSession carries one check stream over one WebSocket. Two goroutines work for it: the one that
// called run writes, one reads; run waits for the other. Whichever has a reason to end the session
// cancels its context with that reason, an *ending; the first one counts.
type wsSession struct {
	server *Server
	conn   *websocket.Conn
	raw    net.Conn
	stream *check.Stream

	writing atomic.Bool // a frame is being sent: its deadline, not a pong, tells whether the client lives
}

// run serves until the session ends, closes the connection and returns why. asked says that a request
// has been submitted.
func (ws *wsSession) run(ctx context.Context, asked bool) *ending {
	s := ws.server
	closed := s.metrics.opened(carrierWebSocket)
	session, end := context.WithCancelCause(ctx)
	remove := s.live.add(&conversation{end: end, cut: func() { _ = ws.raw.Close() }})
	defer remove()

	first := time.AfterFunc(s.cfg.FirstRequest, func() { end(errNoRequest) })
	if asked {
		first.Stop()
	}
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		if err := s.guard(ctx, func() error { return ws.read(ctx, first) }); !errors.Is(err, net.ErrClosed) {
			end(err) // else the connection was closed by whoever has the reason
		}
	}()
	pings := beat(s.cfg.PingEvery, func() { ws.ping(ctx, end) })

	end(s.guard(ctx, func() error { return ws.write(session) }))
	first.Stop()
	ws.stream.Close() // at once: a client that is slow to say goodbye must not keep planners alive
	e := endingOf(session)
	ws.close(e)
	pings.stop()
	<-reading
	closed(e)
	return e
}

// read takes the client's messages, and lets the library handle its control frames, until the
// connection fails or closes or a message is unreadable.
func (ws *wsSession) read(ctx context.Context, first *time.Timer) error {
	for {
		_, message, err := ws.conn.Read(ctx)
		if err != nil {
			return endingOfRead(err)
		}
		first.Stop()
		if err := ws.take(message); err != nil {
			return err
		}
	}
}

// take gives a message to the stream: a request, or the faults of one.
func (ws *wsSession) take(message []byte) error {
	request, err := booking.DecodeRequest(message)
	var faults fault.List
	switch {
	case err == nil:
		ws.stream.Submit(request)
	case errors.As(err, &faults):
		ws.stream.Refuse(faults)
	default:
		return errUnreadable
	}
	return nil
}

// write sends what the stream has until it or the session ends.
func (ws *wsSession) write(ctx context.Context) error {
	for {
		frame, err := ws.stream.Next(ctx)
		if err != nil {
			return ws.server.failed(ctx, err)
		}
		if err := ws.send(ctx, frame.JSON); err != nil {
			return endingOfWrite(err)
		}
		ws.server.metrics.wrote(carrierWebSocket, frame)
	}
}

// send writes one message. A client that does not take it in time loses its connection: what it has
// taken of the frame could not be completed. A session that ends does not cut a frame in two.
func (ws *wsSession) send(ctx context.Context, message []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ws.server.cfg.WriteWithin)
	defer cancel()
	ws.writing.Store(true)
	defer ws.writing.Store(false)
	return ws.conn.Write(ctx, websocket.MessageText, message)
}

// ping asks the client for a sign of life. A ping waits behind a frame that is being sent, so it says
// nothing then.
func (ws *wsSession) ping(ctx context.Context, end context.CancelCauseFunc) {
	if ws.writing.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ws.server.cfg.PongWithin)
	defer cancel()
	if ws.conn.Ping(ctx) != nil && !ws.writing.Load() {
		end(errNoPong)
	}
}

// close ends the connection as the ending says. Errors no longer matter: the client has its frame or
// never will.
func (ws *wsSession) close(e *ending) {
	if e.code == 0 {
		_ = ws.conn.CloseNow()
		return
	}
	_ = ws.conn.Close(e.code, e.reason)
}
