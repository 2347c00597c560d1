package check

import "sync/atomic"

// The kinds of news of a stream.
const (
	said uint32 = 1 << iota // something is in the inbox
	workflowChanged
	plannersChanged
	bookingsChanged
	minutePassed
)

// news is what has happened since the last look: a bit for each kind, however often it has happened.
type news struct{ bits atomic.Uint32 }

// add notes a kind. known: it had happened before, and was not looked at yet. wake: nothing else had, and
// the caller has to wake who looks.
func (n *news) add(kind uint32) (known, wake bool) {
	before := n.bits.Or(kind)
	return before&kind != 0, before == 0
}

// look returns what has happened, and forgets it.
func (n *news) look() (kinds uint32) { return n.bits.Swap(0) }
