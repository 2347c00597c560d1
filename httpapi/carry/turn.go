package carry

import "sync/atomic"

// turn is who sees to something that others wake: one at a time, and once more when it was woken
// meanwhile, however often.
type turn struct{ bits atomic.Uint32 }

const (
	awake uint32 = 1 << iota // somebody sees to it, or was just told to
	again                    // it was woken since he looked
)

// wake reports whether nobody was awake, and the caller has to have it seen to.
func (t *turn) wake() bool { return t.bits.Or(awake|again)&awake == 0 }

// look forgets that it was woken: what there was to see by then is seen now. Whoever looks is awake.
func (t *turn) look() { t.bits.Store(awake) }

// sleep reports false, and whoever asked stays awake, when it was woken since the last look.
func (t *turn) sleep() bool { return t.bits.CompareAndSwap(awake, 0) }
