// Package tokens keeps who may do what by a token: its role and groups, and the hash of its secret, by id.
//
// A replica judges a token by its view alone, so it does so while NATS is away, too; a token that another
// replica has made a moment ago, and the view does not show yet, is to be looked up by Get. An end is judged by
// the token itself, not by the life of its key, which may be longer. A token is never changed: it is made, and
// revoked.
//
// What is not promised: that a token which was revoked is refused by a replica that NATS is away from.
package tokens
