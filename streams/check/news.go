package check

import "sync/atomic"

// The kinds of news of a stream.
const (
	said uint32 = 1 << iota // something is in the inbox
	workflowChanged
	plannersChanged
	bookingsChanged
	minutePassed
	awake // no kind: somebody looks at the news, or was just woken to do so
)

// news is what has happened since the last look: a bit for each kind, however often it has happened.
// As long as somebody is awake for it nobody else has to be woken.
type news struct{ bits atomic.Uint32 }

// add notes a kind. known: it had happened before, and was not looked at yet. wake: nobody is awake,
// and the caller has to wake somebody.
func (n *news) add(kind uint32) (known, wake bool) {
	before := n.bits.Or(kind | awake)
	return before&kind != 0, before&awake == 0
}

// look returns what has happened, and forgets it; whoever looks is awake.
func (n *news) look() (kinds uint32) { return n.bits.Swap(awake) &^ awake }

// sleep reports false, and whoever asked stays awake, when there is something to look at again.
func (n *news) sleep() bool { return n.bits.CompareAndSwap(awake, 0) }
