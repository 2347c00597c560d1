package auth

import "context"

// forwardedKey is where a request's context says how it came to a proxy that is trusted to tell.
type forwardedKey struct{}

// Forwarded notes that a trusted proxy passes a request on, and whether it came there by HTTPS.
func Forwarded(ctx context.Context, secure bool) context.Context {
	way := InTheOpen
	if secure {
		way = Secure
	}
	return context.WithValue(ctx, forwardedKey{}, way)
}
