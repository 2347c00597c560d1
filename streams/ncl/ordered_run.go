package ncl

import (
	"strconv"

	"github.com/nats-io/nats.go"
)

// run takes outcomes, looks after the oldest message, and hears of lost connections.
func (p *orderedPublisher) run(outcomes <-chan *nats.Msg, lost <-chan nats.Status) {
	timer := p.Clock.NewTimer(p.AckTimeout)
	defer timer.Stop()
	expire := func() {
		if again := p.line.expire(p.Clock.Now(), p.AckTimeout); again > 0 {
			timer.Reset(again)
		}
	}
	for {
		select {
		case m := <-outcomes:
			p.take(m)
			for range len(outcomes) { // which is cheaper than to select each
				p.take(<-outcomes)
			}
		case <-p.watch:
			expire()
		case <-timer.Chan():
			expire()
		case status := <-lost:
			p.line.failAll(lossOf(status))
		case <-p.stop:
			return
		}
	}
}

func (p *orderedPublisher) take(m *nats.Msg) {
	token, err := strconv.ParseUint(m.Subject[len(p.inbox):], 36, 64)
	if err != nil {
		return // nobody answers there but who makes it up
	}
	if sequence, err := parseAck(m); err != nil {
		p.line.fail(token, err)
	} else {
		p.line.stored(token, sequence)
	}
}

func lossOf(s nats.Status) error {
	if s == nats.CLOSED {
		return nats.ErrConnectionClosed
	}
	return nats.ErrDisconnected
}
