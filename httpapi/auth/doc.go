// Package auth finds out who asks: it reads the credential of a request, a token or the session of a browser, and
// judges it by what this replica has in view, or by what an issuer has signed. What the subject may do is decided by
// package access.
//
// Outages: while NATS is away the view goes on to judge. Until it has been read for the first time nobody is
// known, and nobody is refused: that is ErrStarting.
//
// Streams outlive their request, and must not outlive the right that opened them: Bind ends one when its token
// is revoked, its session ends, the key that has signed for it no longer counts, or its time is over. It happens
// within a moment of this replica's learning it.
package auth
