// Package auth finds out who asks: it reads the credential of a request, and judges it by the tokens that this
// replica has in view. What the subject may do is decided by package access.
//
// Outages: while NATS is away the view goes on to judge. Until it has been read for the first time nobody is
// known, and nobody is refused: that is ErrStarting.
//
// Streams outlive their request, and must not outlive the right that opened them: Bind ends one when its token
// is revoked or its time is over. It happens within a moment of the view's learning it.
package auth
