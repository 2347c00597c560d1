//go:build !unix

package httpapi

// offerLocked leaves the whole of a message to be waited for.
func (w *wire) offerLocked() {}
