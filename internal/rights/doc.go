// Package rights knows what a replica's NATS user has to be permitted, and finds out what it is not.
//
// A server drops what is forbidden: who asked waits for an answer in vain, and all that is said comes to
// the connection's error handler, late and for that one subject. So each right is tried, with messages
// that the server judges but neither delivers nor stores.
package rights
