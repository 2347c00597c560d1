// Package issuer knows people by what an issuer of OpenID Connect has signed: access tokens that they show, and
// what they bring back when they log in on the page. Signatures are go-jose's to check, what the issuer tells of
// itself go-oidc's to read; which keys count, when, and what a claim is worth here is decided in this package.
//
// Outages: the keys that are known go on to count while the issuer is away. A token that is well-formed, meant for
// us and signed by a key that nobody could ask about is ErrAway, so its bearer may come again; all else that is
// not good is ErrRefused.
//
// Keys: Run asks for them now and then, so one that has left the set counts for no more than a few minutes. A
// token of an unknown key has them asked for, but that often only: what strangers show costs the issuer nothing.
//
// What is not promised: that a person who was removed at the issuer is refused before the token ends.
package issuer
