//go:build !unix

package carry

const canOffer = false

// offerLocked leaves the whole of a message to be waited for.
func (w *wire) offerLocked() {}

// offerLocked leaves the whole of a record to be waited for.
func (u *under) offerLocked() error { return nil }
