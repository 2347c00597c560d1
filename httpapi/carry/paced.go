package carry

import (
	"sync"
	"time"
)

// paced is a conversation that says less often what it has to say.
type paced struct {
	Conversation
	every time.Duration
	wake  func()

	mu    sync.Mutex
	due   time.Time // of the next frame
	timer *time.Timer
}

// Paced has a time pass between two frames of a source that tells how things stand: the newest is told, at the latest
// then. What answers a message of the client's comes at once.
func Paced(s Conversation, every time.Duration) Conversation {
	return &paced{Conversation: s, every: every}
}

// OnWake implements Source.
func (p *paced) OnWake(wake func()) {
	p.wake = wake
	p.Conversation.OnWake(wake)
}

// Poll implements Source.
func (p *paced) Poll() (Frame, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := time.Until(p.due); wait > 0 {
		if p.timer == nil {
			p.timer = time.AfterFunc(wait, p.wake)
		} else {
			p.timer.Reset(wait)
		}
		return Frame{}, false, nil
	}
	f, ok, err := p.Conversation.Poll()
	if ok {
		p.due = time.Now().Add(p.every)
	}
	return f, ok, err
}

// Take implements Conversation.
func (p *paced) Take(message []byte) error {
	err := p.Conversation.Take(message)
	p.mu.Lock()
	p.due = time.Time{}
	p.mu.Unlock()
	p.wake()
	return err
}

// Close implements Source.
func (p *paced) Close() {
	p.mu.Lock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.Conversation.Close()
}
