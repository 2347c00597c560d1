package carry

import (
	"errors"
	"os"
	"sync"
)

// errNotYet is of a read that does not wait. After it crypto/tls goes on where it was.
var errNotYet = os.ErrDeadlineExceeded

// Read implements net.Conn. It does not wait from begin on, but fails with errNotYet.
func (u *under) Read(p []byte) (int, error) {
	if u.instant {
		return u.take(p)
	}
	return u.TCPConn.Read(p)
}

// open reads from a connection under TLS. crypto/tls takes twice the stack of all else, and a stack stays as large as
// it was needed: so it is asked on another one, for what is there, and waits for nothing.
func (w *wire) open(p []byte) (n int, err error) {
	for {
		var opening sync.WaitGroup
		opening.Go(func() { n, err = w.Conn.Read(p) })
		if opening.Wait(); !errors.Is(err, errNotYet) {
			return n, err
		}
		if n > 0 { // and a part of the end, which is not there yet
			return n, nil
		}
		w.hoard.release() // the client may say nothing for hours
		if err := w.under.await(); err != nil {
			return 0, err
		}
	}
}
