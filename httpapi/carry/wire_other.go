//go:build !unix

package carry

const canOffer = false

// offerLocked leaves the whole of a message to be waited for.
func (w *wire) offerLocked() {}

// offerLocked leaves the whole of a record to be waited for.
func (u *under) offerLocked() error { return nil }

// take is not asked: reads wait.
func (u *under) take(p []byte) (int, error) { return u.TCPConn.Read(p) }

// await is not asked, either.
func (u *under) await() error { return errNotYet }
