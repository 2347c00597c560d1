package carry

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"syscall"
)

// maxRecord is the largest text of a TLS record (RFC 8446, section 5.1).
const maxRecord = 16 << 10

// maxKept bounds what is kept for a client that does not take it: a record or two, and what TLS itself has to say
// meanwhile.
const maxKept = 4 * maxRecord

var errMuteClient = errors.New("the client takes nothing of what it asks for")

// UnderTLS accepts connections on which WebSockets over TLS are written to without waiting.
func UnderTLS(l net.Listener) net.Listener { return underListener{l} }

type underListener struct{ net.Listener }

// Accept implements net.Listener.
func (l underListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			return &under{TCPConn: tcp, raw: raw}, nil
		}
	}
	return conn, err
}

// under is the connection below TLS. TLS can't be told to write as much as the client takes at once: it has sealed
// a record when it learns how much that was, and must not seal it again. So from begin on a record always goes: what
// of it the client does not take is kept here, for flush to wait with.
type under struct {
	*net.TCPConn
	raw     syscall.RawConn
	instant bool // reads do not wait either; from begin on

	mu     sync.Mutex
	eager  bool
	kept   []byte
	left   []byte // of a record that is being offered
	failed error
}

// underOf is what is below TLS; nil: something else, or no TLS at all.
func underOf(conn net.Conn) *under {
	sealed, ok := conn.(*tls.Conn)
	if !ok {
		return nil
	}
	u, _ := sealed.NetConn().(*under)
	return u
}

func (u *under) begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.eager, u.instant = canOffer, canOffer
}

// Write implements net.Conn. It does not wait from begin on.
func (u *under) Write(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.eager {
		return u.TCPConn.Write(p)
	}
	u.left = p
	if len(u.kept) == 0 {
		if err := u.offerLocked(); err != nil {
			return 0, err
		}
	}
	if len(u.kept)+len(u.left) > maxKept { // of a client that makes TLS speak, and does not listen
		return 0, errMuteClient
	}
	u.kept, u.left = append(u.kept, u.left...), nil
	return len(p), nil
}

// behind says whether the client has not taken all yet.
func (u *under) behind() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.kept) > 0
}

// close closes the connection with a word of goodbye, if there is a way to say it without waiting.
func (u *under) close(conn net.Conn) error {
	if !u.mu.TryLock() { // the client is waited for
		return u.Close()
	}
	behind := len(u.kept) > 0
	u.mu.Unlock()
	if behind {
		return u.Close()
	}
	return conn.Close()
}

// flush waits until the client has taken what is kept, as long as the deadline lets it.
func (u *under) flush() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.kept) == 0 {
		return nil
	}
	_, err := u.TCPConn.Write(u.kept)
	u.kept = nil
	return err
}

// wait sends a message, however long the client takes, as long as the deadline lets it.
func (u *under) wait(conn net.Conn, message pieces) error {
	err := u.flush()
	for err == nil && !message.empty() {
		if message, err = u.seal(conn, message); err == nil {
			err = u.flush()
		}
	}
	return err
}

// seal sends as much of a message as the client takes at once; what it returns has not been sealed yet.
func (u *under) seal(conn net.Conn, message pieces) (rest pieces, err error) {
	for i := range message {
		for len(message[i]) > 0 {
			if u.behind() {
				return message, nil
			}
			n := min(len(message[i]), maxRecord)
			if _, err := conn.Write(message[i][:n]); err != nil {
				return message, err
			}
			message[i] = message[i][n:]
		}
	}
	return message, nil
}
