package carry

import (
	"context"
	"sync"
)

// pump is a source of frames that have to be waited for.
type pump struct {
	run    func(wake func())
	cancel context.CancelFunc
	all    sync.WaitGroup
	ahead  chan pumped
}

type pumped struct {
	frame Frame
	err   error // of the last one
}

// Pump makes a source of what has to be waited for. next is called on a goroutine of its own, until it
// fails, which ends the stream; it is never more than two frames ahead of what the client has taken. Its
// context ends with ctx, which is the carrier's, and when the source is closed, which waits for it.
func (c *Carriers) Pump(ctx context.Context, next func(ctx context.Context) (Frame, error)) Source {
	ctx, cancel := context.WithCancel(ctx)
	p := &pump{cancel: cancel, ahead: make(chan pumped, 1)}
	p.run = func(wake func()) {
		for n := (pumped{}); n.err == nil; wake() {
			n.err = c.guard(func() (err error) { n.frame, err = next(ctx); return err })
			select {
			case p.ahead <- n:
			case <-ctx.Done():
				return
			}
		}
	}
	return p
}

// OnWake implements Source; the pump runs from here on.
func (p *pump) OnWake(wake func()) { p.all.Go(func() { p.run(wake) }) }

// Poll implements Source.
func (p *pump) Poll() (Frame, bool, error) {
	select {
	case n := <-p.ahead:
		return n.frame, n.err == nil, n.err
	default:
		return Frame{}, false, nil
	}
}

// Close implements Source.
func (p *pump) Close() {
	p.cancel()
	p.all.Wait()
}
