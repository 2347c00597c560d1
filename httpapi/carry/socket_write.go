package carry

import (
	"errors"
	"net"
)

// wake has the socket write when nobody is about to. It does not block.
func (ws *socket) wake() {
	if ws.turn.wake() {
		ws.carriers.writers.add(ws)
	}
}

// stop ends the socket for a reason, whatever else there is to say. It does not block.
func (ws *socket) stop(cause error) {
	if ws.cause.CompareAndSwap(nil, asEnding(cause)) {
		ws.wake()
	}
}

// cut takes the connection away; who reads it notices.
func (ws *socket) cut() { _ = ws.wire.Close() }

// write sends the next frame, without waiting for anybody. When the source has ended, so does the socket,
// which nobody wakes any more.
func (ws *socket) write() {
	if err := ws.carriers.guard(ws.send); err != nil {
		go ws.end(asEnding(err))
	}
}

func (ws *socket) send() error {
	frame, ok, err := ws.poll()
	if !ok {
		return err
	}
	rest, err := ws.wire.send(ws.carriers.messages.of(frame.Data))
	if rest == nil {
		ws.sent(frame, err)
		return nil
	}
	go func() { ws.sent(frame, rest()) }() // a socket that ends lets it: no frame is cut in two
	return nil
}

// poll is the next frame. When there is none (ok is false) the socket sleeps, or the error ends it.
func (ws *socket) poll() (f Frame, ok bool, err error) {
	for {
		ws.turn.look()
		if cause := ws.cause.Load(); cause != nil {
			return Frame{}, false, cause
		}
		f, ok, err = ws.source.Poll()
		if ok || err != nil || ws.turn.sleep() {
			return f, ok && err == nil, err
		}
	}
}

// sent notes what became of a frame. A client that does not take it in time loses its connection: what it
// has taken could not be completed. If there is more to say, that is behind what others wait to say.
func (ws *socket) sent(frame Frame, err error) {
	switch {
	case err == nil:
		ws.carriers.hooks.Wrote(WebSocket, frame)
	case !errors.Is(err, net.ErrClosed): // else whoever closed it has the reason
		ws.stop(endingOfWrite(err))
	}
	if !ws.turn.sleep() {
		ws.carriers.writers.add(ws)
	}
}

// end closes the connection as the ending says. Errors no longer matter: the client has its frame or
// never will.
func (ws *socket) end(e *Ending) {
	// First of all: a client that is slow to say goodbye must not keep alive what the source needs.
	_ = ws.carriers.guard(func() error { ws.source.Close(); return nil })
	if e.Code == 0 {
		_ = ws.conn.CloseNow()
	} else {
		_ = ws.conn.Close(e.Code, e.Reason)
	}
	ws.over <- e
}
