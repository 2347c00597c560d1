package carry

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Opening is how a WebSocket begins, and what is done when it is over.
type Opening struct {
	Protocol  string  // its subprotocol, for clients that offer it
	Silent    *Ending // when the first message does not come in time; nil: none has to come
	RequestID string  // for the log
	Leave     func()  // what Admit returned

	// Bind is given what ends the socket for a reason, and does not block; release is called once, in the
	// end. It may be nil.
	Bind func(stop func(cause error)) (release func())
}

// socket carries a source over a WebSocket. One goroutine reads, and owns it. When the source wakes, one
// of the writers sends what it has to say; where the client does not take that at once, a goroutine of the
// socket's own waits for it. Whoever has a reason to end the socket stops it; the first one counts.
type socket struct {
	carriers *Carriers
	conn     *websocket.Conn
	wire     *wire
	source   Conversation
	turn     turn // of writing
	cause    atomic.Pointer[Ending]
	first    *time.Timer  // until the first message, where one has to come
	over     chan *Ending // capacity 1: the connection is closed
	next     *socket      // among the writers' list
}

// WebSocket makes the connection of a request a WebSocket, and carries a source over it that outlives the
// request, of which nothing is kept: net/http's memory for it is several times that of a stream. The error
// is a *HandshakeError, of which the client has not been told. In any case source and place are given away.
func (c *Carriers) WebSocket(w http.ResponseWriter, r *http.Request, s Conversation, o Opening) error {
	ws := &socket{carriers: c, source: s, over: make(chan *Ending, 1)}
	var err error
	if ws.conn, ws.wire, err = c.upgrade(w, r, o.Protocol); err != nil {
		s.Close()
		o.Leave()
		return err
	}
	go func() {
		defer o.Leave()
		ws.run(o)
	}()
	return nil
}

// run serves until the socket is over.
func (ws *socket) run(o Opening) {
	c := ws.carriers
	began := time.Now()
	closed := c.Opened(WebSocket)
	ws.source.OnWake(ws.wake)
	ws.wake()
	defer c.live.add(ws)()
	if o.Bind != nil {
		defer o.Bind(ws.stop)()
	}
	if o.Silent != nil {
		ws.first = time.AfterFunc(c.cfg.FirstMessage, func() { ws.stop(o.Silent) })
	}
	pings := beat(c.cfg.PingEvery, ws.ping)

	ws.stop(c.guard(ws.read))
	ws.heard()
	e := <-ws.over
	pings.stop()
	closed(e)
	c.log.Debug("WebSocket closed", "ending", e.String(), "duration", time.Since(began).String(), "request_id", o.RequestID)
}

// read takes the client's messages, and lets the library handle its control frames, until the
// connection fails or closes or the source has had enough.
func (ws *socket) read() error {
	for {
		_, message, err := ws.conn.Read(context.Background())
		if err != nil {
			return endingOfRead(err)
		}
		ws.heard()
		if err := ws.source.Take(message); err != nil {
			return err
		}
	}
}

// heard notes that the first message is no longer waited for.
func (ws *socket) heard() {
	if ws.first != nil {
		ws.first.Stop()
		ws.first = nil
	}
}

// ping asks the client for a sign of life. A ping waits behind a message that is being sent, so it says
// nothing then.
func (ws *socket) ping() {
	if ws.wire.behind.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ws.carriers.cfg.PongWithin)
	defer cancel()
	if ws.conn.Ping(ctx) != nil && !ws.wire.behind.Load() {
		ws.stop(noPong)
	}
}
