//go:build !unix

package carry

// offerLocked leaves the whole of a message to be waited for.
func (w *wire) offerLocked() {}
