package httpapi

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// wire is the connection under a WebSocket. Two write to it: the library its control frames, each in
// one Write, and the session its messages. Each frame goes out whole, and has to be taken in time.
type wire struct {
	net.Conn
	within time.Duration // for the client to take a frame
	early  []byte        // what net/http has read of the WebSocket

	sending atomic.Bool // a message is on its way: its deadline, not a pong, tells whether the client lives
	mu      sync.Mutex  // held while a frame goes out
	closed  bool        // a close frame has gone out: no message may follow (RFC 6455, section 5.5.1)
}

// opClose begins a close frame.
const opClose = 0x88

// Read implements net.Conn.
func (w *wire) Read(p []byte) (int, error) {
	if len(w.early) == 0 {
		return w.Conn.Read(p)
	}
	n := copy(p, w.early)
	w.early = w.early[n:]
	return n, nil
}

// Write sends a frame of the library's.
func (w *wire) Write(frame []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = w.closed || len(frame) > 0 && frame[0] == opClose
	return w.writeLocked(frame)
}

// send sends a message; net.ErrClosed after a close frame.
func (w *wire) send(message []byte) error {
	w.sending.Store(true)
	defer w.sending.Store(false)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return net.ErrClosed
	}
	_, err := w.writeLocked(message)
	return err
}

func (w *wire) writeLocked(frame []byte) (int, error) {
	if err := w.SetWriteDeadline(time.Now().Add(w.within)); err != nil {
		return 0, err
	}
	return w.Conn.Write(frame)
}
