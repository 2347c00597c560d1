package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
)

var always = func(context.Context) (bool, error) { return true, nil }

// endings collects the ends that some replicas handle.
type endings struct {
	mu   sync.Mutex
	ends []planners.End
	fail int // how many handlings fail first
}

func (e *endings) handle(_ context.Context, end planners.End) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fail > 0 {
		e.fail--
		return errors.New("not now")
	}
	e.ends = append(e.ends, end)
	return nil
}

func (e *endings) all() []planners.End {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]planners.End(nil), e.ends...)
}

func (e *endings) await(t *testing.T, n int) []planners.End {
	t.Helper()
	natstest.Eventually(t, "ends are handled", func() bool { return len(e.all()) >= n })
	return e.all()
}

// settled waits until the durable consumer has nothing left to do.
func settled(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	natstest.Eventually(t, "the ends are settled", func() bool {
		cons, err := js.Consumer(t.Context(), "KV_planners", "oc-scheduler-ends")
		if err != nil {
			return false
		}
		info := cons.CachedInfo()
		return info.NumPending == 0 && info.NumAckPending == 0
	})
}

func runEnds(t *testing.T, st *store.Store, e *endings) {
	t.Helper()
	natstest.Run(t, func(ctx context.Context) error { return st.Planners.Ends(ctx, e.handle) })
}

func TestEndsAreHandledOnceByTheFleet(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	var e endings
	for range 3 {
		st, _ := open(t, srv, store.Config{})
		runEnds(t, st, &e)
	}
	st, js := running(t, srv, store.Config{PlannerTTL: time.Second})
	for _, peer := range []string{"expires", "deleted", "ended"} {
		apply(t, st, plannerJSON(peer, now, 1), at(1))
	}
	bucket, err := js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Delete(t.Context(), "deleted"); err != nil {
		t.Fatal(err)
	}
	if err := st.Planners.End(t.Context(), "ended", "", always); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "$KV.planners.not.an=id", nil, jetstream.WithMsgTTL(time.Second)); err != nil {
		t.Fatal(err)
	}
	e.await(t, 3)
	settled(t, js)
	causes := map[string]planners.Cause{}
	for _, end := range e.all() {
		causes[end.PeerID] = end.Cause
		if end.Revision == 0 {
			t.Errorf("%v has no revision", end)
		}
	}
	if len(e.all()) != 3 || causes["expires"] != planners.Expired || causes["deleted"] != planners.Deleted || causes["ended"] != planners.Unwatched {
		t.Errorf("ends = %v", e.all())
	}
}

func TestEndsWhileNobodyIsUpAreHandledLater(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := open(t, srv, store.Config{PlannerTTL: time.Second})
	apply(t, st, plannerJSON("expires", now, 1), at(1))
	apply(t, st, plannerJSON("comes-back", now, 1), at(2))
	stream, err := js.Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	for _, peer := range []string{"expires", "comes-back"} {
		natstest.Eventually(t, "it has expired", func() bool {
			m, err := stream.GetLastMsgForSubject(t.Context(), "$KV.planners."+peer)
			return err == nil && m.Header.Get("Nats-Marker-Reason") == "MaxAge"
		})
	}
	long, _ := open(t, srv, store.Config{PlannerTTL: time.Hour})
	apply(t, long, plannerJSON("comes-back", now, 2), arrived(3))
	srv.Restart(t)
	natstest.Eventually(t, "the connection is back", js.Conn().IsConnected)
	var e endings
	runEnds(t, st, &e)
	e.await(t, 1)
	settled(t, js)
	if ends := e.all(); len(ends) != 1 || ends[0].PeerID != "expires" || ends[0].Cause != planners.Expired {
		t.Errorf("ends = %v", ends)
	}
}

func TestAnEndThatCannotBeHandledComesAgain(t *testing.T) {
	t.Parallel()
	st, js := open(t, natstest.Start(t), store.Config{})
	e := endings{fail: 1}
	runEnds(t, st, &e)
	if err := st.Planners.End(t.Context(), "p", "", always); err != nil {
		t.Fatal(err)
	}
	e.await(t, 1)
	settled(t, js)
	if ends := e.all(); len(ends) != 1 {
		t.Errorf("ends = %v", ends)
	}
}

func TestEndsAreReadAgainAfterARestart(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := running(t, srv, store.Config{})
	var e endings
	runEnds(t, st, &e)
	if err := st.Planners.End(t.Context(), "before", "", always); err != nil {
		t.Fatal(err)
	}
	e.await(t, 1)
	settled(t, js)
	srv.Restart(t)
	natstest.Eventually(t, "an end is written", func() bool { return st.Planners.End(t.Context(), "after", "", always) == nil })
	if ends := e.await(t, 2); len(ends) != 2 || ends[1].PeerID != "after" {
		t.Errorf("ends = %v", ends)
	}
}

// A marker that the server or an operator has written says nothing of what had arrived before. Before
// the end is told, it is written anew: then what arrived is of that life whatever the clocks say.
func TestAnEndByOthersIsNumbered(t *testing.T) {
	t.Parallel()
	onBus := func(context.Context) (origin.Source, error) { return arrived(2), nil }
	st, js := open(t, natstest.Start(t), store.Config{PlannerTTL: time.Second, LastOnBus: onBus})
	var e endings
	runEnds(t, st, &e)
	bucket, err := js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	for _, peer := range []string{"expires", "deleted"} {
		apply(t, st, plannerJSON(peer, now, 1), arrived(1))
	}
	if err := bucket.Delete(t.Context(), "deleted"); err != nil {
		t.Fatal(err)
	}
	e.await(t, 2)
	settled(t, js)
	reasons := map[string]string{"expires": "expired", "deleted": ""}
	for _, end := range e.all() {
		if want := map[string]planners.Cause{"expires": planners.Expired, "deleted": planners.Deleted}[end.PeerID]; end.Cause != want {
			t.Errorf("%s is %v", end.PeerID, end.Cause)
		}
		m, err := newestOf(t, js, "$KV.planners."+end.PeerID)
		if err != nil || m.Sequence != end.Revision || m.Header.Get("Oc-Last-Seq") != "2" || m.Header.Get("Oc-Reason") != reasons[end.PeerID] {
			t.Errorf("%v: %+v, %v", end, m, err)
		}
		if out := apply(t, st, plannerJSON(end.PeerID, now, 1), arrived(2)); out != origin.Late {
			t.Errorf("%s: what had arrived is %v", end.PeerID, out)
		}
		if out := apply(t, st, plannerJSON(end.PeerID, now, 3), arrived(3)); out != origin.Stored {
			t.Errorf("%s: what has arrived since is %v", end.PeerID, out)
		}
	}
	if ends := e.all(); len(ends) != 2 {
		t.Errorf("ends = %v", ends)
	}
}
