package natstest

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy passes TCP connections on to an address, until it is told to cut, hold or delay them.
type Proxy struct {
	target   string
	listener net.Listener
	work     sync.WaitGroup

	mu    sync.Mutex
	links map[*link]struct{}
	cut   bool          // new links are closed at once
	gate  chan struct{} // closed while bytes may pass
	delay time.Duration
}

// link is one connection and its continuation to the target.
type link struct {
	near, far net.Conn
	once      sync.Once
	gone      chan struct{}
}

func (l *link) close() {
	l.once.Do(func() {
		close(l.gone)
		_ = errors.Join(l.near.Close(), l.far.Close())
	})
}

// StartProxy runs a proxy on a port of its own until the test ends; the target need not be there.
func StartProxy(tb testing.TB, target string) *Proxy {
	tb.Helper()
	var lc net.ListenConfig
	listener, err := lc.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("natstest: %v", err)
	}
	p := &Proxy{target: target, listener: listener, links: map[*link]struct{}{}, gate: make(chan struct{})}
	close(p.gate)
	p.work.Go(p.accept)
	tb.Cleanup(func() {
		_ = p.listener.Close()
		p.Cut()
		p.work.Wait()
	})
	return p
}

// Addr is where the proxy listens; URL is that for NATS clients.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// URL is where NATS clients connect.
func (p *Proxy) URL() string { return "nats://" + p.Addr() }

// Links is how many connections the proxy has at the moment.
func (p *Proxy) Links() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Cut closes all links and refuses new ones until Pass.
func (p *Proxy) Cut() { p.set(func() { p.cut = true }); p.closeAll() }

// Flap closes all links; new ones are let through.
func (p *Proxy) Flap() { p.closeAll() }

// Hold lets nothing pass and closes nothing: a black hole, until Pass or Reset.
func (p *Proxy) Hold() {
	p.set(func() {
		select {
		case <-p.gate:
			p.gate = make(chan struct{})
		default: // holds already
		}
	})
}

// Delay makes all bytes come later by d.
func (p *Proxy) Delay(d time.Duration) { p.set(func() { p.delay = d }) }

// Pass ends Cut, Hold and Delay: what was held passes now.
func (p *Proxy) Pass() {
	p.set(func() {
		p.cut, p.delay = false, 0
		select {
		case <-p.gate:
		default:
			close(p.gate)
		}
	})
}

// Reset is Pass after the links, with all that they held, were closed.
func (p *Proxy) Reset() { p.closeAll(); p.Pass() }

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *Proxy) closeAll() {
	p.mu.Lock()
	links := p.links
	p.links = map[*link]struct{}{}
	p.mu.Unlock()
	for l := range links {
		l.close()
	}
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.serve(near) })
	}
}

func (p *Proxy) serve(near net.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	far, err := new(net.Dialer).DialContext(ctx, "tcp", p.target)
	cancel()
	if err != nil {
		_ = near.Close()
		return
	}
	l := &link{near: near, far: far, gone: make(chan struct{})}
	defer l.close()
	if !p.add(l) {
		return
	}
	defer p.remove(l)
	var back sync.WaitGroup
	back.Go(func() { p.pipe(l, far, near) })
	p.pipe(l, near, far)
	back.Wait()
}

func (p *Proxy) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		return false
	}
	p.links[l] = struct{}{}
	return true
}

func (p *Proxy) remove(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// chunk is bytes on their way.
type chunk struct {
	data []byte
	due  time.Time
}

// pipe passes one direction of a link on until either end closes; then it closes both.
func (p *Proxy) pipe(l *link, from, to net.Conn) {
	chunks := make(chan chunk, 64)
	var writer sync.WaitGroup
	writer.Go(func() {
		defer l.close()
		for c := range chunks {
			if !p.admit(l, c.due) {
				return
			}
			if _, err := to.Write(c.data); err != nil {
				return
			}
		}
	})
	defer writer.Wait()
	defer close(chunks)
	for {
		data := make([]byte, 32<<10)
		n, err := from.Read(data)
		if n > 0 {
			select {
			case chunks <- chunk{data[:n], p.due()}:
			case <-l.gone:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *Proxy) due() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Add(p.delay)
}

// admit waits until bytes may pass; false when the link has gone before.
func (p *Proxy) admit(l *link, due time.Time) bool {
	if wait := time.Until(due); wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-l.gone:
			return false
		}
	}
	p.mu.Lock()
	gate := p.gate
	p.mu.Unlock()
	select {
	case <-gate:
		return true
	case <-l.gone:
		return false
	}
}
