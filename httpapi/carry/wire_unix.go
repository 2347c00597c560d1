//go:build unix

package carry

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
	for i := range w.rest {
		if len(w.rest[i]) == 0 {
			continue
		}
		n, err := syscall.Write(int(fd), w.rest[i])
		if err == nil {
			w.rest[i] = w.rest[i][n:]
		} else if !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR) {
			w.failed = err
		}
		if len(w.rest[i]) > 0 { // what follows may not go before it
			break
		}
	}
	return true
}
