package slots_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/compose"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/slots"
	"oc-scheduler/streams/watcher"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// world is two replicas and a node, which one of them looks after.
type world struct {
	server   *natstest.Server
	replicas map[string]*replica
	node     *node
	start    time.Time // of what is booked

	mu     sync.Mutex
	holder string
}

// replica tells nodes.
type replica struct {
	*store.Store
	stop func() // as kill -9 does
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{server: natstest.Start(t), replicas: map[string]*replica{}, start: time.Now().Add(24 * time.Hour).Truncate(time.Hour)}
	book, err := ledger.Open(t.Context(), watcher.NewMemoryStore(), ledger.Capacities{"r": {"i": {"ram": 1 << 40}}}, clockwork.NewRealClock())
	if err != nil {
		t.Fatal(err)
	}
	w.node = &node{ledger: book}
	w.replica(t, "r1")
	w.replica(t, "r2")
	w.hold("r1")
	w.node.begin(t, w.replicas["r1"].Store)
	return w
}

func (w *world) replica(t *testing.T, id string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	st, err := store.Open(t.Context(), w.server.JetStream(t), store.Config{}, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes := compose.New(id, st, log)
	s := slots.New(st, slots.Config{
		Orders: &courier{w.node, st}, Nodes: nodes, Ready: nodes.Ready(), Log: log,
		Holds: func(string) bool { return w.holds(id) },
	})
	nodes.OnChange(s.Changed)
	stops := []func(){natstest.Run(t, st.Run), natstest.Run(t, nodes.Run), natstest.Run(t, s.Run)}
	w.replicas[id] = &replica{st, func() {
		for _, stop := range stops {
			stop()
		}
	}}
	natstest.Receive(t, nodes.Ready())
}

func (w *world) hold(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holder = id
}

func (w *world) holds(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.holder == id
}

// node is a ledger at the end of a line that keeps messages for a while.
type node struct {
	ledger *ledger.Ledger

	mu       sync.Mutex
	session  string
	sequence uint64
	away     bool
	broken   bool  // nothing can be sent
	waiting  []any // sent while it is away
	told     int
	failed   int
}

// courier brings orders in the name of a replica.
type courier struct {
	*node
	st *store.Store
}

func (c *courier) Send(ctx context.Context, _ string, order any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.broken:
		c.failed++
		return kv.ErrUnavailable
	case c.away:
		c.waiting = append(c.waiting, order)
		return nil
	}
	return c.take(ctx, c.st, order)
}

// take has the ledger take an order, and tells what the node offers then.
func (n *node) take(ctx context.Context, st *store.Store, order any) error {
	var err error
	switch o := order.(type) {
	case *nclprotocol.BookSlots:
		n.told++
		err = n.ledger.Book(ctx, *o)
	case *nclprotocol.ReleaseSlots:
		err = n.ledger.Release(ctx, *o)
	}
	return errors.Join(err, n.tell(ctx, st))
}

func (n *node) tell(ctx context.Context, st *store.Store) error {
	text, err := n.ledger.GetOffer(ctx)
	if err != nil {
		return err
	}
	n.sequence++
	_, err = st.Offers.Keep(ctx, "n1", store.Telling{Session: n.session, Sequence: n.sequence}, text)
	return err
}

// begin begins a session; what was sent meanwhile and is still there comes first.
func (n *node) begin(t *testing.T, st *store.Store) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.session, n.sequence, n.away = time.Now().Format(time.RFC3339Nano), 0, false
	waiting := n.waiting
	n.waiting = nil
	n.record(t, st, store.NodeConnected)
	if err := n.tell(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	for _, order := range waiting {
		if err := n.take(t.Context(), st, order); err != nil {
			t.Fatal(err)
		}
	}
}

// vanishes has the line to it be dead, of which nobody knows yet.
func (n *node) vanishes() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.away = true
}

// leave has the node be lost.
func (n *node) leave(t *testing.T, st *store.Store) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.away = true
	n.record(t, st, store.NodeLost)
}

// forget drops what was sent while it is away, as after a week.
func (n *node) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waiting = nil
}

// breaks says whether nothing can be sent from now on.
func (n *node) breaks(broken bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.broken = broken
}

// count looks at what was sent: how often it was told of a booking, how many messages wait, how many failed.
func (n *node) count() (told, waiting, failed int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.told, len(n.waiting), n.failed
}

func (n *node) record(t *testing.T, st *store.Store, state store.NodeState) {
	t.Helper()
	_, err := st.Nodes.Change(t.Context(), "n1", func(*store.NodeRecord) (*store.NodeRecord, error) {
		return &store.NodeRecord{NodeID: "n1", Standing: store.Standing{Membership: store.Approved, State: state}, Connection: store.Connection{Session: n.session, Info: []byte(`{"peer_id":"p"}`)}, Offering: store.Offering{TellsOffers: true}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// book takes something for the n-th hours on, in the place of what stands at that revision.
func (w *world) book(t *testing.T, on *plan.Plan, owner schedule.Booking, hours ...int) schedule.Booking {
	t.Helper()
	owner.WorkflowID, owner.Place = "w", schedule.Place{PeerID: "p", ResourceID: "r", InstanceID: "i"}
	owner.Intervals = nil
	for _, h := range hours {
		start := w.start.Add(time.Duration(h) * time.Hour)
		owner.Intervals = append(owner.Intervals, schedule.Interval{Start: start, End: start.Add(time.Hour), ItemID: "n", Usage: []byte(`{"ram":1}`)})
	}
	w.commit(t, on, owner, func(c *plan.Commit, revision uint64) { c.Take(owner, revision) })
	return owner
}

func (w *world) free(t *testing.T, on *plan.Plan, owner schedule.Booking) {
	t.Helper()
	w.commit(t, on, owner, func(c *plan.Commit, revision uint64) { c.Free(owner, revision) })
}

func (w *world) commit(t *testing.T, on *plan.Plan, owner schedule.Booking, change func(*plan.Commit, uint64)) {
	t.Helper()
	err := on.Try(t.Context(), func(ctx context.Context, _ bool) (*plan.Commit, error) {
		stands, err := on.Standing(ctx, owner.Owner(), []schedule.Place{owner.Place})
		if err != nil {
			return nil, err
		}
		c := on.NewCommit("somebody")
		change(c, stands[owner.Place].Revision)
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func owner(p *plan.Plan) schedule.Booking {
	return schedule.Booking{ID: p.NewID(schedule.OfBooking), ScheduleID: p.NewID(schedule.OfSchedule)}
}

// settles waits until the ledger is what the plan has.
func (w *world) settles(t *testing.T, p *plan.Plan, standing int) {
	t.Helper()
	natstest.Eventually(t, "the ledger is equal to the plan", func() bool {
		want, has := map[string]uint64{}, map[string]uint64{}
		for _, b := range p.Taken("p") {
			want[b.ID] = b.Revision
		}
		for _, b := range w.node.ledger.Bookings() {
			has[b.BookingID] = b.Revision
		}
		return len(want) == standing && maps.Equal(want, has)
	})
	slots := map[string]map[int64]bool{}
	for _, b := range p.Taken("p") {
		slots[b.ID] = map[int64]bool{}
		for _, s := range b.Slots {
			slots[b.ID][s.Start] = true
		}
	}
	for _, b := range w.node.ledger.Bookings() {
		has := map[int64]bool{}
		for _, s := range b.Slots {
			has[s.Start.UnixNano()] = true
			if s.Usage["ram"] != 1 || (planner.Ref{ResourceID: s.ResourceID, InstanceID: s.InstanceID}) != (planner.Ref{ResourceID: "r", InstanceID: "i"}) {
				t.Errorf("%s takes %+v", b.BookingID, s)
			}
		}
		if !maps.Equal(has, slots[b.BookingID]) {
			t.Errorf("%s has %v, and takes %v", b.BookingID, has, slots[b.BookingID])
		}
	}
}
