// Package dispatcher delivers the events of a ledger in order through an OrderedPublisher, many in
// flight at a time, and remembers how far the other side has acknowledged them.
package dispatcher
