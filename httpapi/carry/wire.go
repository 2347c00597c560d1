package carry

import (
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// wire is the connection under a WebSocket. Two write to it: the library its control frames, each in
// one Write, and the session its messages. Each frame goes out whole, and has to be taken in time.
type wire struct {
	net.Conn
	raw    syscall.RawConn // nil: there is TLS, or no writing without waiting
	under  *under          // below TLS; nil: there is none, or no writing without waiting
	within time.Duration   // for the client to take a frame
	early  []byte          // what net/http has read of the WebSocket
	hoard  hoard           // of TLS

	behind atomic.Bool // the client has not taken a message yet: its deadline, not a pong, tells whether it lives
	mu     sync.Mutex  // held while a frame goes out
	rest   pieces      // of that message
	failed error       // why nothing more can be sent
}

// opClose begins a close frame. No message may follow it (RFC 6455, section 5.5.1).
const opClose = 0x88

func newWire(conn net.Conn, within time.Duration, early []byte) *wire {
	w := &wire{Conn: conn, within: within, early: early, under: underOf(conn), hoard: hoardOf(conn)}
	if w.under != nil {
		w.under.begin()
	}
	if c, ok := conn.(syscall.Conn); ok {
		w.raw, _ = c.SyscallConn() // without it every message takes the way of the slow ones
	}
	return w
}

// Read implements net.Conn.
func (w *wire) Read(p []byte) (int, error) {
	if len(w.early) > 0 {
		n := copy(p, w.early)
		w.early = w.early[n:]
		return n, nil
	}
	if w.under == nil || !canOffer {
		return w.Conn.Read(p)
	}
	return w.open(p)
}

// Close implements net.Conn. It does not wait for the client.
func (w *wire) Close() error {
	if w.under != nil {
		return w.under.close(w.Conn)
	}
	return w.Conn.Close()
}

// Write sends a frame of the library's, after a message that is on its way.
func (w *wire) Write(frame []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.flushLocked(); err != nil {
		return 0, err
	}
	if err := w.waitLocked(pieces{frame}); err != nil {
		return 0, err
	}
	if len(frame) > 0 && frame[0] == opClose {
		w.failed = net.ErrClosed
	}
	return len(frame), nil
}

// send sends a message as far as the client takes it at once. If rest is not nil it sends what is left,
// and has to be called, where it may wait. The error of both is net.ErrClosed after a close frame.
func (w *wire) send(message pieces) (rest func() error, err error) {
	if !w.mu.TryLock() { // the library waits for the client to take a frame
		return func() error { return w.wait(message) }, nil
	}
	defer w.mu.Unlock()
	if w.failed != nil {
		return nil, w.failed
	}
	w.rest = message
	w.offerLocked()
	if w.failed != nil || w.takenLocked() {
		w.rest = pieces{}
		return nil, w.failed
	}
	w.behind.Store(true)
	return w.flush, nil
}

func (w *wire) wait(message pieces) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.rest = message
		w.behind.Store(true)
	}
	return w.flushLocked()
}

func (w *wire) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flushLocked()
}

// takenLocked says whether the client has taken all of the message.
func (w *wire) takenLocked() bool { return w.rest.empty() && (w.under == nil || !w.under.behind()) }

// flushLocked waits until the client has taken the message that is on its way.
func (w *wire) flushLocked() error {
	if w.failed != nil || w.takenLocked() {
		return w.failed
	}
	err := w.waitLocked(w.rest)
	w.rest = pieces{}
	w.behind.Store(false)
	return err
}

// waitLocked writes a frame, or its rest, however long the client takes within what it is allowed.
func (w *wire) waitLocked(frame pieces) error {
	w.failed = w.SetWriteDeadline(time.Now().Add(w.within))
	if w.failed == nil && w.under != nil {
		w.failed = w.under.wait(w.Conn, frame)
		frame = pieces{}
	}
	for _, piece := range frame {
		if w.failed == nil && len(piece) > 0 {
			_, w.failed = w.Conn.Write(piece)
		}
	}
	if w.failed == nil {
		w.failed = w.SetWriteDeadline(time.Time{}) // or else nothing could be sent at once after it
	}
	return w.failed
}
