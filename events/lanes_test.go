package events

import (
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"
)

func workflowDelivery(id string, seq uint64) *delivery {
	return &delivery{event: event{kind: workflowCreated, id: id}, arrival: Arrival{Seq: seq}}
}

// However the deliveries of lanes come, each is worked on once, and those of one lane in their order.
func TestLanesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c"}), 0, 60).Draw(t, "ids")
		var mu sync.Mutex
		done, busy := map[string][]uint64{}, map[string]bool{}
		l := newLanes(func(d *delivery) {
			name := d.lane()
			mu.Lock()
			if busy[name] {
				t.Errorf("two of lane %s at a time", name)
			}
			busy[name] = true
			mu.Unlock()
			mu.Lock()
			busy[name] = false
			done[name] = append(done[name], d.arrival.Seq)
			mu.Unlock()
		})
		want := map[string][]uint64{}
		for seq, id := range ids {
			d := workflowDelivery(id, uint64(seq))
			want[d.lane()] = append(want[d.lane()], uint64(seq))
			l.put(d)
		}
		l.finish()
		if fmt.Sprint(done) != fmt.Sprint(want) {
			t.Fatalf("done %v, want %v", done, want)
		}
		if len(l.behind) > 0 {
			t.Fatalf("lanes are left over: %v", l.behind)
		}
	})
}

// A lane that is held up keeps no other from its work.
func TestLanesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	other := make(chan uint64, maxHeld)
	l := newLanes(func(d *delivery) {
		if d.event.id == "held" {
			<-held
			return
		}
		other <- d.arrival.Seq
	})
	l.put(workflowDelivery("held", 0))
	for seq := range uint64(maxHeld) {
		l.put(workflowDelivery("held", seq))
		l.put(workflowDelivery(fmt.Sprint(seq%300), seq))
	}
	for range maxHeld {
		<-other
	}
	close(held)
	l.finish()
}

// As many lanes as there may be workers are worked on at the same time, and then all but a few leave.
func TestLanesHireWhoIsNeeded(t *testing.T) {
	t.Parallel()
	for range 20 {
		working, release := make(chan struct{}, maxHeld), make(chan struct{})
		l := newLanes(func(*delivery) {
			working <- struct{}{}
			<-release
		})
		for seq := range uint64(maxHeld) {
			l.put(workflowDelivery("", seq))
		}
		for range atOnce {
			<-working
		}
		close(release)
		for range maxHeld - atOnce {
			<-working
		}
		for seq := range uint64(atOnce) { // while they leave
			l.put(workflowDelivery("", seq))
		}
		for range atOnce {
			<-working
		}
		l.finish()
		if l.hired > spare || len(l.behind) > 0 {
			t.Fatalf("%d workers, %d lanes", l.hired, len(l.behind))
		}
	}
}

func TestFewAreNotAskedFor(t *testing.T) {
	t.Parallel()
	h := newHolds()
	for n := range maxHeld {
		want := maxHeld - n
		if want < leastBatch {
			want = 0
		}
		if room := h.Room(); room != want {
			t.Fatalf("room for %d beside %d, want %d", room, n, want)
		}
		d := workflowDelivery("w", uint64(n))
		d.msg = new(nats.Msg)
		h.add(d)
	}
}

func TestALaneForgetsWhatIsDone(t *testing.T) {
	t.Parallel()
	queue := []*delivery{{}, {}}
	l := &lanes{behind: map[string][]*delivery{"w": queue}}
	if d := l.next("w"); d == nil || queue[0] != nil {
		t.Errorf("%p is handed over, %p is kept", d, queue[0])
	}
}

// One slow lane, of which nothing is released, must not stop the others.
func TestThereIsRoomBesideASlowLane(t *testing.T) {
	t.Parallel()
	h := newHolds()
	for held := range 512 {
		if h.Room() < leastBatch {
			t.Fatalf("no room beside %d", held)
		}
		h.add(&delivery{msg: &nats.Msg{}})
	}
}
