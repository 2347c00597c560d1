//go:build unix

package httpapi

import (
	"errors"
	"syscall"
)

// offerLocked has the kernel take what it can of a message at once.
func (w *wire) offerLocked() {
	if w.raw == nil {
		return
	}
	if err := w.raw.Write(w.offer); err != nil {
		w.failed = err
	}
}

func (w *wire) offer(fd uintptr) (done bool) {
	n, err := syscall.Write(int(fd), w.rest)
	switch {
	case err == nil:
		w.rest = w.rest[n:]
	case !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR):
		w.failed = err
	}
	return true
}
