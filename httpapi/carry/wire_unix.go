//go:build unix

package carry

import (
	"errors"
	"syscall"
)

// canOffer says that the kernel can be asked to take what it can of a message at once.
const canOffer = true

// offerLocked has the kernel take what it can of a message at once.
func (w *wire) offerLocked() {
	if w.under != nil {
		w.rest, w.failed = w.under.seal(w.Conn, w.rest)
		return
	}
	if w.raw == nil {
		return
	}
	if err := w.raw.Write(w.offer); err != nil {
		w.failed = err
	}
}

func (w *wire) offer(fd uintptr) (done bool) {
	for i := range w.rest {
		if len(w.rest[i]) == 0 {
			continue
		}
		w.rest[i], w.failed = offered(fd, w.rest[i])
		if len(w.rest[i]) > 0 { // what follows may not go before it
			break
		}
	}
	return true
}

// offerLocked has the kernel take what it can of a record at once.
func (u *under) offerLocked() error {
	if err := u.raw.Write(u.offer); err != nil {
		return err
	}
	return u.failed
}

func (u *under) offer(fd uintptr) (done bool) {
	u.left, u.failed = offered(fd, u.left)
	return true
}

// offered is what the kernel leaves of some bytes.
func offered(fd uintptr, p []byte) (left []byte, err error) {
	n, err := syscall.Write(int(fd), p)
	switch {
	case err == nil:
		return p[n:], nil
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINTR):
		return p, nil
	}
	return p, err
}
