package ncl

import (
	"math"
	"sync"
)

// gate holds back a reader's requests until it is opened. That it is asked for room tells that the
// reader's subscription stands.
type gate struct {
	ask, lift sync.Once
	asked     chan struct{}
	opened    chan struct{}
	freed     chan struct{}
}

func newGate() *gate {
	return &gate{asked: make(chan struct{}), opened: make(chan struct{}), freed: make(chan struct{}, 1)}
}

func (g *gate) open() {
	g.lift.Do(func() {
		close(g.opened)
		g.freed <- struct{}{}
	})
}

// Room is without bounds once the gate is open.
func (g *gate) Room() int {
	g.ask.Do(func() { close(g.asked) })
	select {
	case <-g.opened:
		return math.MaxInt
	default:
		return 0
	}
}

// Freed tells once that the gate was opened.
func (g *gate) Freed() <-chan struct{} { return g.freed }
