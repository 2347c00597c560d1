package compute

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// letter is an offer on its way. Who sent it may have given it up.
type letter struct {
	session int
	request nclprotocol.OfferRequest
	answer  chan nclprotocol.OfferResponse
	given   bool // up
}

// post is a node's control plane, the way to its scheduler, and what that keeps. Offers are numbers that grow.
type post struct {
	plane *ControlPlane

	mu      sync.Mutex // tests hold it while they are at work, and let it go while they wait
	session int
	newest  int // that the node has
	changed chan struct{}
	way     []*letter

	kept     int // by the scheduler
	of       int // its session
	sequence uint64
}

func (p *post) GetOffer(context.Context) (json.RawMessage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return json.RawMessage(strconv.Itoa(p.newest)), nil
}

func (p *post) OfferChanged() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

func (p *post) Publish(context.Context, ncl.PublishRequest) error { return nil }

// Request sends an offer on its way; a heartbeat is answered at once.
func (p *post) Request(ctx context.Context, r ncl.PublishRequest) (*envelope.Message, error) {
	request, is := r.Message.Payload.(nclprotocol.OfferRequest)
	if !is {
		return &envelope.Message{Payload: &nclprotocol.HeartbeatResponse{}}, nil
	}
	l := &letter{request: request, answer: make(chan nclprotocol.OfferResponse, 1)}
	p.locked(func() {
		l.session = p.session
		p.way = append(p.way, l)
	})
	select {
	case answer := <-l.answer:
		return &envelope.Message{Payload: &answer}, nil
	case <-ctx.Done():
		p.locked(func() { l.given = true })
		return nil, ctx.Err()
	}
}

func (p *post) locked(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// wait lets all happen that can, until a time has passed.
func (p *post) wait(d time.Duration) {
	p.mu.Unlock()
	defer p.mu.Lock()
	time.Sleep(d)
	synctest.Wait()
}

func (p *post) begin(t *rapid.T) {
	cfg := testConfig()
	cfg.OfferProvider = p
	cfg.SetDefaults()
	var err error
	p.session++
	p.plane, err = NewControlPlane(ControlPlaneParams{
		Config: cfg, Requester: p, HealthTracker: NewHealthTracker(cfg.Clock), IncomingSeqTracker: nclprotocol.NewSequenceTracker(),
		CheckpointName: "test", NodeInfo: nclprotocol.NodeInfo{NodeID: "n1"},
	})
	if err == nil {
		err = p.plane.Start(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *post) end(t *rapid.T) {
	p.mu.Unlock()
	defer p.mu.Lock()
	if err := p.plane.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func (p *post) change(*rapid.T) {
	p.newest++
	close(p.changed)
	p.changed = make(chan struct{})
}

// take is the scheduler, which gets a letter: the rule of the protocol.
func (p *post) take(l *letter) nclprotocol.OfferResponse {
	if l.session != p.session {
		return nclprotocol.OfferResponse{HandshakeRequired: true}
	}
	if l.session != p.of || l.request.Sequence > p.sequence {
		p.of, p.sequence = l.session, l.request.Sequence
		p.kept, _ = strconv.Atoi(string(l.request.Offer))
	}
	return nclprotocol.OfferResponse{Accepted: true}
}

// some is one of the letters on their way.
func (p *post) some(t *rapid.T) (*letter, int) {
	if len(p.way) == 0 {
		t.Skip("nothing is on its way")
	}
	i := rapid.IntRange(0, len(p.way)-1).Draw(t, "letter")
	return p.way[i], i
}

func (p *post) remove(i int) { p.way = append(p.way[:i:i], p.way[i+1:]...) }

func (p *post) deliver(t *rapid.T) {
	l, i := p.some(t)
	p.remove(i)
	l.answer <- p.take(l)
}

// repeat delivers a letter that stays on its way: its answer is lost, or NATS has it twice.
func (p *post) repeat(t *rapid.T) {
	l, _ := p.some(t)
	p.take(l)
}

func (p *post) lose(t *rapid.T) {
	_, i := p.some(t)
	p.remove(i)
}

func (p *post) check(t *rapid.T) {
	before := p.kept
	p.wait(0)
	if p.kept < before || p.kept > p.newest {
		t.Fatalf("the scheduler has offer %d after %d, the node %d", p.kept, before, p.newest)
	}
	waits := 0
	for _, l := range p.way {
		if !l.given {
			waits++
		}
	}
	if waits > 1 {
		t.Fatalf("%d offers are told at once", waits)
	}
}

// quiet waits until all has come that was under way, in any order.
func (p *post) quiet(t *rapid.T) {
	for range 10 {
		p.wait(time.Minute)
		for len(p.way) > 0 {
			p.deliver(t)
		}
	}
	if p.kept != p.newest {
		t.Fatalf("the scheduler has offer %d in the end, the node %d", p.kept, p.newest)
	}
}

// TestTheNewestOfferArrives, whatever is lost, repeated and overtaken on its way, in this session and those before.
func TestTheNewestOfferArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(t *rapid.T) {
			p := &post{newest: 1, changed: make(chan struct{})}
			p.mu.Lock()
			defer p.mu.Unlock()
			p.begin(t)
			defer func() { p.end(t) }()
			t.Repeat(map[string]func(*rapid.T){
				"":            p.check,
				"change":      p.change,
				"deliver":     p.deliver,
				"repeat":      p.repeat,
				"lose":        p.lose,
				"time":        func(t *rapid.T) { p.wait(time.Duration(rapid.IntRange(1, 15000).Draw(t, "ms")) * time.Millisecond) },
				"new session": func(t *rapid.T) { p.end(t); p.begin(t) },
			})
			p.quiet(t)
		})
	})
}
