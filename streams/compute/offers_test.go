package compute_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// shelf is what a node offers.
type shelf struct {
	mu      sync.Mutex
	offer   string
	fail    func() error // nil: it does not
	changed chan struct{}
}

func newShelf(offer string) *shelf { return &shelf{offer: offer, changed: make(chan struct{})} }

func (s *shelf) GetOffer(context.Context) (json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail()
	}
	return json.RawMessage(s.offer), nil
}

func (s *shelf) OfferChanged() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// put changes the offer.
func (s *shelf) put(offer string) { s.change(func() { s.offer = offer }) }

func (s *shelf) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

func gpus(n int) string { return fmt.Sprintf(`{"capacities":{"gpu":{"i0":{"gpus":%d}}}}`, n) }

// toldLast waits until the newest offer that was told is this one, and returns all that were.
func toldLast(tb testing.TB, m *memory, offer string) (all []anOffer) {
	tb.Helper()
	natstest.Eventually(tb, "the scheduler is told "+offer[:min(len(offer), 80)], func() bool {
		m.look(func(m *memory) { all = append([]anOffer(nil), m.offers...) })
		return len(all) > 0 && string(all[len(all)-1].Offer) == offer
	})
	return all
}

func TestOffers(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m, store, shelf := &memory{}, watcher.NewMemoryStore(), newShelf(gpus(1))
	o := startOrchestrator(t, s, "n1", m, nil)
	c := configure(t, s.URL(), "n1", &worker{}, store)
	c.OfferProvider = shelf
	cm := start(t, c)
	if all := toldLast(t, m, gpus(1)); len(all) != 1 || all[0].Sequence != 1 {
		t.Errorf("%+v", all)
	}
	shelf.put(gpus(2))
	all := toldLast(t, m, gpus(2))
	if last := all[len(all)-1]; last.Sequence != 2 || last.session != all[0].session {
		t.Errorf("%+v", all)
	}
	shelf.put(gpus(2)) // nothing of it is new
	for n := 3; n <= 50; n++ {
		shelf.put(gpus(n))
	}
	if all := toldLast(t, m, gpus(50)); len(all) > 10 {
		t.Errorf("%d offers were told, conflated they are few", len(all))
	}
	natstest.Eventually(t, "it counts as accepted", func() bool { h := cm.GetHealth(); return !h.LastSuccessfulOffer.IsZero() && h.OfferRefused == "" })

	o.stop() // a scheduler that has forgotten the session
	m.look(func(m *memory) { m.session = "" })
	startOrchestrator(t, s, "n1", m, nil)
	natstest.Eventually(t, "another session", func() bool { return m.sessions() > 1 })
	natstest.Eventually(t, "it is told again", func() bool {
		all := toldLast(t, m, gpus(50))
		last := all[len(all)-1]
		return last.session != all[0].session && last.Sequence == 1
	})
}

// TestAnOfferIsToldAgain when the scheduler lacks it.
func TestAnOfferIsToldAgain(t *testing.T) {
	t.Parallel()
	c := offering(t, newShelf(gpus(1)))
	if r := c.offered(t); r.Sequence != 1 {
		t.Errorf("%+v", r)
	}
	natstest.Eventually(t, "the offer is accepted", func() bool { return !c.health.GetHealth().LastSuccessfulOffer.IsZero() })
	c.peer.answers(func(any) (any, error) { return &nclprotocol.HeartbeatResponse{OfferRequired: true}, nil })
	if err := c.clock.BlockUntilContext(t.Context(), 3+1); err != nil { // three tickers, and the pause after the offer
		t.Fatal(err)
	}
	c.advance(t)
	c.peer.answers(accept)
	if r := c.offered(t); r.Sequence != 1 || string(r.Offer) != gpus(1) {
		t.Errorf("%+v", r)
	}
	if err := c.plane.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAnOfferThatFitsIntoNoMessage(t *testing.T) {
	t.Parallel()
	long := gpus(1) + strings.Repeat(" ", nclprotocol.MaxOffer)
	for name, tc := range map[string]struct {
		payload int32
		offer   string
		reason  string
	}{
		"NATS holds less": {64 << 10, `{"capacities":"` + strings.Repeat("x", 64<<10) + `"}`, "max_payload"},
		"above the limit": {9 << 20, long, "at most 4194304"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t, func(o *server.Options) { o.MaxPayload = tc.payload })
			m, log, shelf := &memory{}, &notes{}, newShelf(tc.offer)
			startOrchestrator(t, s, "n1", m, nil)
			c := configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore())
			c.OfferProvider, c.Logger = shelf, slog.New(slog.NewTextHandler(log, nil))
			cm := start(t, c)
			natstest.Eventually(t, "it is refused", func() bool { return strings.Contains(cm.GetHealth().OfferRefused, tc.reason) })
			if !strings.Contains(log.String(), "does not take the offer") {
				t.Errorf("the log says nothing:\n%s", log.String())
			}
			shelf.put(gpus(2))
			all := toldLast(t, m, gpus(2))
			if len(all) != 2 || !strings.Contains(all[0].Withheld, tc.reason) || all[0].Offer != nil {
				t.Errorf("%+v", all)
			}
			natstest.Eventually(t, "it is accepted", func() bool { return cm.GetHealth().OfferRefused == "" })
		})
	}
}

// TestAnOlderScheduler knows no offers: the node goes on, says so once, and tells its offer to those that come.
func TestAnOlderScheduler(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m, log, store := &memory{before: true}, &notes{}, watcher.NewMemoryStore()
	startOrchestrator(t, s, "n1", m, nil)
	c := configure(t, s.URL(), "n1", &worker{}, store)
	c.OfferProvider, c.Logger = newShelf(gpus(1)), slog.New(slog.NewTextHandler(log, nil))
	cm := start(t, c)
	natstest.Eventually(t, "it is told", func() bool { return strings.Contains(cm.GetHealth().OfferRefused, "before offers") })
	produce(t, store, 1, 3)
	handled(t, m, 3)
	beats := m.count(func(m *memory) int { return len(m.heartbeats) })
	natstest.Eventually(t, "some time has passed", func() bool { return m.count(func(m *memory) int { return len(m.heartbeats) }) > beats+4 })
	if n := strings.Count(log.String(), "before offers"); n != 1 || m.sessions() != 1 {
		t.Errorf("it is said %d times, in %d sessions:\n%s", n, m.sessions(), log.String())
	}
	m.look(func(m *memory) { m.before = false })
	toldLast(t, m, gpus(1))
	natstest.Eventually(t, "it is accepted", func() bool { return cm.GetHealth().OfferRefused == "" })
}

// TestAProviderOfOffersFails: nothing else of the node does, and it is asked again.
func TestAProviderOfOffersFails(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("disk full") },
		"panic": func() error { panic("a provider") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			m, shelf := &memory{}, newShelf(gpus(1))
			shelf.fail = fail
			startOrchestrator(t, s, "n1", m, nil)
			c := configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore())
			c.OfferProvider = shelf
			start(t, c)
			natstest.Eventually(t, "it lives", func() bool { return m.count(func(m *memory) int { return len(m.heartbeats) }) > 2 })
			shelf.change(func() { shelf.fail = nil })
			toldLast(t, m, gpus(1))
			if n := m.sessions(); n != 1 {
				t.Errorf("%d sessions", n)
			}
		})
	}
}

// offering is a control plane with an offer.
func offering(t *testing.T, s *shelf) *controlled {
	t.Helper()
	return control(t, nil, func(c *compute.Config) { c.OfferProvider = s })
}

// offered is the next request, which tells an offer.
func (c *controlled) offered(t *testing.T) nclprotocol.OfferRequest {
	t.Helper()
	r, is := (<-c.peer.got).(nclprotocol.OfferRequest)
	if !is {
		t.Fatal("no offer")
	}
	return r
}
