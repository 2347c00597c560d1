package demand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/planners"
	"oc-scheduler/store/workflow"
)

// spoken tells what a message of the scheduler's own says; empty for others' messages.
func spoken(data []byte) (string, error) {
	var e struct {
		FromApp string `json:"from_app"`
		Payload []byte
	}
	var p struct {
		Action  string
		Payload []byte
	}
	var peer struct {
		PeerID string `json:"peer_id"`
	}
	if err := json.Unmarshal(data, &e); err != nil || e.FromApp != "oc-scheduler" {
		return "", err
	}
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return "", err
	}
	err := json.Unmarshal(p.Payload, &peer)
	return p.Action + " " + peer.PeerID, err
}

func TestFirstAndLastWatcher(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	first, second := a.Watch([]string{"p", "q", "p"}), a.Watch([]string{"p"})
	f.eventuallySaid(t, "p", "request")
	f.eventuallySaid(t, "q", "request")
	if got := a.replicas(t, "p"); got != "a" {
		t.Errorf("list of p: %s", got)
	}
	f.publishPlanner(t, "p")
	eventually(t, "planner cached and claim forgotten", func() bool {
		_, claimed := a.store.Requests.View().Get("p")
		return a.cached("p") && !claimed
	})
	first()
	first()
	f.eventuallySaid(t, "q", "request close") // also without a planner
	if !a.cached("p") || f.said("p") != "request" {
		t.Error("p was closed while it was watched")
	}
	second()
	f.eventuallySaid(t, "p", "request close")
	eventually(t, "no list and no planner", func() bool {
		_, found := a.store.Interest.View().Get("p")
		return !found && !a.cached("p")
	})
}

// TestTheLastOfTheFleetCloses: however many leave at once, one close goes out; and none while one is left.
func TestTheLastOfTheFleetCloses(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	replicas := []*replica{f.replica(t, "a"), f.replica(t, "b"), f.replica(t, "c")}
	for round := range 5 {
		peer := fmt.Sprint("p", round)
		var releases []func()
		for _, r := range replicas {
			releases = append(releases, r.Watch([]string{peer}))
		}
		eventually(t, "all listed", func() bool { return replicas[0].replicas(t, peer) == "a b c" })
		f.eventuallySaid(t, peer, "request") // a planner that comes before makes it needless
		f.publishPlanner(t, peer)
		eventually(t, "cached", func() bool { return replicas[0].cached(peer) })
		var wg sync.WaitGroup
		for _, release := range releases {
			wg.Go(release)
		}
		wg.Wait()
		f.eventuallySaid(t, peer, "request close")
	}
	f.endsAreTold(t)
	for round := range 5 {
		if got := f.said(fmt.Sprint("p", round)); got != "request close" {
			t.Errorf("said of p%d: %s", round, got)
		}
	}
}

func TestExpiredWhileWatchedIsClosedThenRequested(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.replica(t, "a"), f.replica(t, "b")
	a.Watch([]string{"p"})
	f.eventuallySaid(t, "p", "request")
	f.publishPlanner(t, "p")
	eventually(t, "cached", func() bool { return a.cached("p") && b.cached("p") })
	kv, err := f.js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "p"); err != nil { // an operator's delete acts as an expiry
		t.Fatal(err)
	}
	f.eventuallySaid(t, "p", "request close request")
	f.publishPlanner(t, "p")
	eventually(t, "cached again", func() bool { return a.cached("p") })
	if err := kv.Purge(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	f.eventuallySaid(t, "p", "request close request close request")
}

// TestRequestsAreRepeatedLessAndLessOften moves the clock; the claim alone decides.
func TestRequestsAreRepeatedLessAndLessOften(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.replica(t, "a"), f.replica(t, "b")
	a.Watch([]string{"p"})
	b.Watch([]string{"p"})
	want := "request"
	f.eventuallySaid(t, "p", want)
	for _, pause := range []time.Duration{10, 20, 40, 80, 160, 300, 300} {
		pause *= time.Second
		f.offset.Add(int64(pause - 500*time.Millisecond))
		for _, r := range []*replica{a, b} {
			if again, err := r.request(t.Context(), "p", 0); err != nil || again <= 0 || again > time.Second {
				t.Fatalf("before %v are over: again in %v, %v", pause, again, err)
			}
		}
		f.offset.Add(int64(500 * time.Millisecond))
		var wg sync.WaitGroup
		for _, r := range []*replica{a, b} { // both may find that it is time; one asks
			wg.Go(func() {
				if _, err := r.request(t.Context(), "p", 0); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		want += " request"
		f.eventuallySaid(t, "p", want)
	}
	f.publishPlanner(t, "p")
	eventually(t, "claim forgotten", func() bool {
		claim, found := a.store.Requests.View().Get("p")
		return a.cached("p") && !found && claim.Value.Attempt == 0
	})
}

func TestWorkflowsAskForMissingPlanners(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	f.publishPlanner(t, "known")
	eventually(t, "cached", func() bool { return a.cached("known") })
	f.publishWorkflow(t, "wf", "known", "p", "q")
	f.eventuallySaid(t, "p", "request")
	f.eventuallySaid(t, "q", "request")
	w, err := workflow.Decode([]byte(`{"id":"wf2","graph":{"items":{"n":{"compute":{"id":"r","peer_id":"s"}},"m":{"compute":{"id":"r","peer_id":"p"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, created, err := a.PutWorkflow(t.Context(), w, []byte(`{"id":"wf2","graph":{"items":{"n":{"compute":{"id":"r","peer_id":"s"}}}}}`), store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil || !created {
		t.Fatal(created, err)
	}
	f.eventuallySaid(t, "s", "request")
	if f.said("known") != "" || f.said("p") != "request" {
		t.Errorf("said of known %q, of p %q", f.said("known"), f.said("p"))
	}
	f.publish(t, events.RemoveResource, events.Envelope{Datatype: "workflow", Payload: []byte(`{"id":"wf"}`)})
	eventually(t, "wf removed", func() bool {
		_, found := a.store.Workflows.View().Get("wf")
		return !found
	})
	eventually(t, "nothing remembered", func() bool { a.wants.mu.Lock(); defer a.wants.mu.Unlock(); return len(a.wants.peers) == 0 })
}

// TestDeadReplicaIsSweptOut: its lease ends, a survivor takes it out of the lists and closes what
// nobody else watches; what others watch stays.
func TestDeadReplicaIsSweptOut(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.replica(t, "a"), f.replica(t, "b")
	a.Watch([]string{"p", "shared"})
	b.Watch([]string{"shared"})
	eventually(t, "listed", func() bool { return b.replicas(t, "p") == "a" && b.replicas(t, "shared") == "a b" })
	f.eventuallySaid(t, "p", "request")
	f.eventuallySaid(t, "shared", "request")
	f.publishPlanner(t, "shared")
	eventually(t, "cached", func() bool { return b.cached("shared") })
	a.stop()
	f.eventuallySaid(t, "p", "request close")
	eventually(t, "a is out", func() bool { return b.replicas(t, "shared") == "b" })
	if f.said("shared") != "request" || !b.cached("shared") {
		t.Errorf("said of shared: %s", f.said("shared"))
	}
}

// TestSurvivorsSweepOnce: however many survivors sweep a dead replica out, each planner is closed once.
func TestSurvivorsSweepOnce(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	dead := f.replica(t, "dead")
	peers := make([]string, 50)
	for i := range peers {
		peers[i] = fmt.Sprintf("p%d", i)
	}
	dead.Watch(peers)
	for _, p := range peers {
		f.eventuallySaid(t, p, "request")
		eventually(t, "listed", func() bool { return dead.replicas(t, p) == "dead" })
	}
	var survivors []*replica
	for i := range 5 {
		survivors = append(survivors, f.replica(t, fmt.Sprintf("r%d", i)))
	}
	dead.stop()
	for _, p := range peers {
		eventually(t, p+" is forgotten", func() bool {
			for _, s := range survivors {
				if _, found := s.store.Interest.View().Get(p); found {
					return false
				}
			}
			return true
		})
	}
	f.endsAreTold(t)
	for _, p := range peers {
		f.eventuallySaid(t, p, "request close")
	}
}

// TestWhatFollowsACloseDoesNotRepeatIt: the lists are lost between a close and the look at them.
func TestWhatFollowsACloseDoesNotRepeatIt(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	ctx := t.Context()
	calls, err := f.js.Conn().SubscribeSync("$JS.EVENT.ADVISORY.API")
	if err != nil {
		t.Fatal(err)
	}
	struck := make(chan struct{})
	f.afterClose = sync.OnceFunc(func() {
		defer close(struck)
		eventually(t, "no lists", func() bool {
			_ = f.js.DeleteStream(ctx, "KV_interest")
			_, err := f.js.CreateStream(ctx, jetstream.StreamConfig{Name: "other", Subjects: []string{"$KV.interest.>"}})
			return err == nil && refused(ctx, calls) // else the view has been faster
		})
	})
	a := f.replica(t, "a")
	a.Watch([]string{"p"})
	eventually(t, "listed", func() bool { return a.replicas(t, "p") == "a" })
	f.eventuallySaid(t, "p", "request")
	f.publishPlanner(t, "p")
	eventually(t, "cached", func() bool { return a.cached("p") })
	if err := a.store.Planners.End(ctx, "p", "", func(context.Context) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	<-struck
	before := a.wants.get("p").failures
	eventually(t, "what follows fails and fails, or the close is repeated", func() bool {
		return a.wants.get("p").failures > before+4 || strings.Count(f.said("p"), "close") > 1
	})
	// A request may have followed: the stream still waits, and the reconciler may have found the lists
	// between the two streams.
	if said := f.said("p"); said != "request close" && said != "request close request" {
		t.Errorf("said %q", said)
	}
	if err := f.js.DeleteStream(ctx, "other"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "listed anew", func() bool { return a.replicas(t, "p") == "a" })
	f.eventuallySaid(t, "p", "request close request")
}

// TestAListThatWasLostUnseenIsMadeAnew: no change of the view tells that it went.
func TestAListThatWasLostUnseenIsMadeAnew(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	a.wants.change("p", func(w *want) { w.watchers, w.listed = 1, true })
	eventually(t, "listed anew", func() bool { return a.replicas(t, "p") == "a" })
}

// refused says whether the view, which brings the lists back, is kept from it. Made at the same moment as
// another of its subjects, the stream is taken by the server, too: only the answer to the view tells.
func refused(ctx context.Context, calls *nats.Subscription) bool {
	for {
		m, err := calls.NextMsgWithContext(ctx)
		switch {
		case err != nil:
			return false
		case !bytes.Contains(m.Data, []byte("STREAM.CREATE.KV_interest")):
		case bytes.Contains(m.Data, []byte("10065")):
			return true
		default: // it was made
			return false
		}
	}
}

// TestACloseIsSaidOnceThoughItsAcknowledgementIsLost: the end comes again, to whichever replica.
func TestACloseIsSaidOnceThoughItsAcknowledgementIsLost(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.replica(t, "a")
	b := f.replica(t, "b")
	const acks = 2 // of which the second is that of an end which has come again
	lost := f.server.Lose(t, acks, "$JS.ACK.KV_planners.oc-scheduler-ends.>")
	if err := b.store.Planners.End(t.Context(), "p", "", func(context.Context) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	f.eventuallySaid(t, "p", "close")
	eventually(t, "acknowledgements are lost", func() bool { return lost() >= acks })
	f.endsAreTold(t)
	if said := f.said("p"); said != "close" {
		t.Errorf("said %q", said)
	}
}

// TestACloseThatNobodyStoredIsSaid: an end that comes again need not have been told.
func TestACloseThatNobodyStoredIsSaid(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	end := planners.End{PeerID: "p", Revision: 7, At: time.Now(), Again: true}
	for range 3 {
		if err := a.ended(t.Context(), end); err != nil {
			t.Fatal(err)
		}
	}
	end.Revision++ // another
	if err := a.ended(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	f.hearsAll(t)
	if said := f.said("p"); said != "close close" {
		t.Errorf("said %q", said)
	}
}

// TestUnfinishedEndIsFinished: the last one wrote the empty list and died.
func TestUnfinishedEndIsFinished(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	if err := a.store.Interest.Add(t.Context(), "p", "dead"); err != nil {
		t.Fatal(err)
	}
	if end, err := a.store.Interest.Remove(t.Context(), "p", "dead"); err != nil || end == "" {
		t.Fatal(end, err)
	}
	f.eventuallySaid(t, "p", "close")
	eventually(t, "list forgotten", func() bool {
		_, found := a.store.Interest.View().Get("p")
		return !found
	})
}

// TestAnEndThatTwoCarryOutIsOne: the last one has ended the planner's life and is then so slow that others
// take its end over, and goes on after that.
func TestAnEndThatTwoCarryOutIsOne(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, b := f.replica(t, "a"), f.replica(t, "b")
	if err := a.store.Interest.Add(t.Context(), "p", "slow"); err != nil {
		t.Fatal(err)
	}
	end, err := a.store.Interest.Remove(t.Context(), "p", "slow")
	if err != nil || end == "" {
		t.Fatal(end, err)
	}
	if err := a.store.Planners.End(t.Context(), "p", end, func(context.Context) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	f.eventuallySaid(t, "p", "close")
	eventually(t, "others have finished it", func() bool {
		_, found := b.store.Interest.View().Get("p")
		return !found
	})
	if err := a.end(t.Context(), "p", end); err != nil {
		t.Fatal(err)
	}
	f.endsAreTold(t)
	if said := f.said("p"); said != "close" {
		t.Errorf("said %q", said)
	}
}

// TestInterestTakenAwayIsRewritten: somebody swept this replica out while it was paused.
func TestInterestTakenAwayIsRewritten(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	release := a.Watch([]string{"p"})
	eventually(t, "listed", func() bool { return a.replicas(t, "p") == "a" })
	if _, err := a.store.Interest.Remove(t.Context(), "p", "a"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "listed again", func() bool { return a.replicas(t, "p") == "a" })
	if err := a.store.Interest.Add(t.Context(), "q", "a"); err != nil { // a list that names it for nothing
		t.Fatal(err)
	}
	eventually(t, "taken out", func() bool { return a.replicas(t, "q") == "" })
	release()
	eventually(t, "left", func() bool { return a.replicas(t, "p") == "" })
}

func TestWatchOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	kept := a.Watch([]string{"kept"})
	defer kept()
	left := a.Watch([]string{"left"})
	f.eventuallySaid(t, "left", "request")
	f.eventuallySaid(t, "kept", "request")
	f.server.Stop()
	left()
	a.Watch([]string{"new"})
	f.server.Restart(t)
	eventually(t, "the lists say what is wanted", func() bool {
		return a.replicas(t, "left") == "" && a.replicas(t, "new") == "a" && a.replicas(t, "kept") == "a"
	})
	eventually(t, "new is asked for and left is closed, in the stream", func() bool {
		return f.stored(t, "PB_PLANNER new") > 0 && f.stored(t, "PB_CLOSE_PLANNER left") > 0
	})
}

// stored counts what the bus has kept of something said: a plain subscriber may miss it in an outage.
func (f *fleet) stored(t *testing.T, what string) (n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	stream, err := f.js.Stream(ctx, events.Stream)
	if err != nil {
		return 0
	}
	for seq := uint64(1); seq <= stream.CachedInfo().State.LastSeq; seq++ {
		if m, err := stream.GetMsg(ctx, seq); err == nil {
			if said, err := spoken(m.Data); err == nil && said == what {
				n++
			}
		}
	}
	return n
}

// TestReopenedAtOnceKeepsThePlanner: a page that is loaded again closes its stream and opens another.
func TestReopenedAtOnceKeepsThePlanner(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	release := a.Watch([]string{"p"})
	f.eventuallySaid(t, "p", "request")
	f.publishPlanner(t, "p")
	eventually(t, "cached", func() bool { return a.cached("p") })
	for range 200 {
		release()
		release = a.Watch([]string{"p"})
	}
	eventually(t, "listed", func() bool { return a.replicas(t, "p") == "a" && !a.wants.get("p").unlisted() })
	defer release()
	// The planner may have been closed in between; then it must have been asked for again.
	eventually(t, "cached or asked for", func() bool {
		return a.cached("p") || len(f.said("p")) > 0 && f.said("p")[len(f.said("p"))-len("request"):] == "request"
	})
}

// TestRestartedReplicaWaitsForItsClients: the lists still name the earlier life of the same id. Its
// clients come back within a moment and find their planners; what nobody comes back for is closed.
func TestRestartedReplicaWaitsForItsClients(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	before := f.replica(t, "a")
	before.Watch([]string{"kept", "left"})
	for _, peer := range []string{"kept", "left"} {
		f.eventuallySaid(t, peer, "request")
		f.publishPlanner(t, peer)
	}
	eventually(t, "cached", func() bool { return before.cached("kept") && before.cached("left") })
	before.stop()
	after := f.replica(t, "a")
	after.Watch([]string{"kept"})
	f.eventuallySaid(t, "left", "request close")
	if !after.cached("kept") || f.said("kept") != "request" {
		t.Errorf("said of kept: %s", f.said("kept"))
	}
}

// TestRequestAfterTheCloseStands: a stream that came between the close and what follows it has asked
// already.
func TestRequestAfterTheCloseStands(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	if err := a.store.Interest.Add(t.Context(), "p", "b"); err != nil {
		t.Fatal(err)
	}
	if _, _, won, err := a.store.Requests.Claim(t.Context(), "p", store.Asking{By: "b"}, f.now().Add(time.Second)); err != nil || !won {
		t.Fatal(won, err)
	}
	if err := a.store.Planners.End(t.Context(), "p", "", func(context.Context) (bool, error) { return true, nil }); err != nil {
		t.Fatal(err)
	}
	f.eventuallySaid(t, "p", "close")
	a.Watch([]string{"last"}) // what the reconciler does later shows that it is done with p
	f.eventuallySaid(t, "last", "request")
	if got := f.said("p"); got != "close" {
		t.Errorf("said of p: %s", got)
	}
}

// TestRequestThatWasMaybeHeardIsNotSaidAgain: while OC_BUS has no leader its acknowledgements fail, and
// plain subscribers hear everything.
func TestRequestThatWasMaybeHeardIsNotSaidAgain(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	a.emitter = unsure{a.emitter}
	for range 3 {
		if again, err := a.request(t.Context(), "p", 0); err != nil || again < 9*time.Second {
			t.Errorf("again in %v, %v", again, err)
		}
	}
	f.eventuallySaid(t, "p", "request")
	f.offset.Add(int64(11 * time.Second))
	if _, err := a.request(t.Context(), "p", 0); err != nil {
		t.Error(err)
	}
	f.eventuallySaid(t, "p", "request request")
}

// unsure is heard, and never knows.
type unsure struct{ Emitter }

func (u unsure) RequestPlanner(ctx context.Context, peerID string) error {
	return errors.Join(events.ErrMaybeHeard, u.Emitter.RequestPlanner(ctx, peerID))
}
