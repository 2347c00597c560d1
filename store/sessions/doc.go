// Package sessions keeps the log-ins of browsers: what each rests on, and until when, by the hash of its id. Who
// reads the bucket can be nobody: the id itself is known to the browser alone.
//
// A session that was begun with a token is worth what that token is worth now, so it ends when the token does. A
// person of an issuer has what he had when he logged in, for an issuer does not tell of later changes; but when it
// takes back the key by which it has signed for him, it takes back its word.
//
// A replica judges a session by its view, also while NATS is away; one that another replica has begun a moment
// ago, and the view does not show yet, is to be looked up by Get. A session is never changed: it begins and ends.
//
// What is not promised: that a session which was ended is refused by a replica that NATS is away from.
package sessions
