//go:build unix

package carry

import (
	"errors"
	"io"
	"os"
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

// take reads what has come.
func (u *under) take(p []byte) (n int, err error) {
	failed := u.raw.Read(func(fd uintptr) (done bool) {
		n, err = syscall.Read(int(fd), p)
		return !errors.Is(err, syscall.EINTR)
	})
	switch {
	case failed != nil:
		return 0, failed
	case errors.Is(err, syscall.EAGAIN):
		return 0, errNotYet
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

// await returns when there is something to take, if only an end.
func (u *under) await() error {
	return u.raw.Read(func(fd uintptr) (done bool) {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		return !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
	})
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
