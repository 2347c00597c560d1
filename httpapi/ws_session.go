package httpapi

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/streams/check"
)

// wsSession carries one check stream over one WebSocket. One goroutine reads, and owns the session. When
// the stream wakes, one of the server's writers sends what it has to say; where the client does not take
// that at once, a goroutine of the session's own waits for it. Whoever has a reason to end the session
// stops the stream with it, an *ending; the first one counts. The stream wakes a last time then.
type wsSession struct {
	server    *Server
	conn      *websocket.Conn
	wire      *wire
	stream    *check.Stream
	requestID string
	first     *time.Timer  // until the first request, where there was none before
	over      chan *ending // capacity 1: the connection is closed
	next      *wsSession   // among the writers' list
}

// run serves until the session is over. asked says that a request has been submitted.
func (ws *wsSession) run(asked bool) {
	s := ws.server
	began := time.Now()
	closed := s.metrics.opened(carrierWebSocket)
	defer s.live.add(&conversation{end: ws.stream.Stop, cut: func() { _ = ws.wire.Close() }})()
	if !asked {
		ws.first = time.AfterFunc(s.cfg.FirstRequest, func() { ws.stream.Stop(errNoRequest) })
	}
	pings := beat(s.cfg.PingEvery, ws.ping)
	ws.stream.OnWake(func() { s.writers.add(ws) })
	s.writers.add(ws)

	ctx := context.Background()
	ws.stream.Stop(s.guard(ctx, ws.read))
	ws.heard()
	e := <-ws.over
	pings.stop()
	closed(e)
	s.log.DebugContext(ctx, "WebSocket closed", "ending", e.String(), "duration", time.Since(began).String(), "request_id", ws.requestID)
}

// read takes the client's messages, and lets the library handle its control frames, until the
// connection fails or closes or a message is unreadable.
func (ws *wsSession) read() error {
	for {
		_, message, err := ws.conn.Read(context.Background())
		if err != nil {
			return endingOfRead(err)
		}
		ws.heard()
		if err := ws.take(message); err != nil {
			return err
		}
	}
}

// heard notes that the first request is no longer waited for.
func (ws *wsSession) heard() {
	if ws.first != nil {
		ws.first.Stop()
		ws.first = nil
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

// write sends the next frame, without waiting for anybody. When the stream has ended, so does the session.
func (ws *wsSession) write() {
	if err := ws.server.guard(context.Background(), ws.send); err != nil {
		go ws.end(asEnding(err))
	}
}

func (ws *wsSession) send() error {
	frame, ok, err := ws.stream.Poll()
	if !ok {
		return err
	}
	rest, err := ws.wire.send(ws.server.messages.of(frame.JSON))
	if rest == nil {
		ws.sent(frame, err)
		return nil
	}
	go func() { ws.sent(frame, rest()) }() // a session that ends lets it: no frame is cut in two
	return nil
}

// sent notes what became of a frame. A client that does not take it in time loses its connection: what it
// has taken could not be completed. If there is more to say, that is behind what others wait to say.
func (ws *wsSession) sent(frame check.Frame, err error) {
	switch {
	case err == nil:
		ws.server.metrics.wrote(carrierWebSocket, frame)
	case !errors.Is(err, net.ErrClosed): // else whoever closed it has the reason
		ws.stream.Stop(endingOfWrite(err))
	}
	if !ws.stream.Sleep() {
		ws.server.writers.add(ws)
	}
}

// end closes the connection as the ending says. Errors no longer matter: the client has its frame or
// never will.
func (ws *wsSession) end(e *ending) {
	// First of all: a client that is slow to say goodbye must not keep planners alive.
	_ = ws.server.guard(context.Background(), func() error { ws.stream.Close(); return nil })
	if e.code == 0 {
		_ = ws.conn.CloseNow()
	} else {
		_ = ws.conn.Close(e.code, e.reason)
	}
	ws.over <- e
}

// ping asks the client for a sign of life. A ping waits behind a message that is being sent, so it says
// nothing then.
func (ws *wsSession) ping() {
	if ws.wire.behind.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ws.server.cfg.PongWithin)
	defer cancel()
	if ws.conn.Ping(ctx) != nil && !ws.wire.behind.Load() {
		ws.stream.Stop(errNoPong)
	}
}
