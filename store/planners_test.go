package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
)

var now = time.Now().UTC().Truncate(time.Millisecond)

func at(seq uint64) origin.Source {
	return origin.Source{Seq: seq, Time: now.Add(time.Duration(seq) * time.Millisecond), Bus: now.Add(-time.Hour)}
}

// arrived is a source of this moment.
func arrived(seq uint64) origin.Source {
	return origin.Source{Seq: seq, Time: time.Now(), Bus: now.Add(-time.Hour)}
}

func TestAPlannerIsStoredWithItsLife(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{PlannerTTL: time.Hour})
	raw := []byte(" {\"peer_id\":\"a.b\",\n\t\"generated_at\":\"2026-12-01T06:00:00Z\",\"extra\":1.50,\"capacities\":{\"r\":{\"i0\":{\"ram_gb\":7}}} }\n")
	if out := apply(t, st, raw, at(3)); out != origin.Stored {
		t.Fatalf("outcome = %v", out)
	}
	e := shows(t, st, "a.b", func(planners.Record) bool { return true })
	r := e.Value
	if r.ExpiresAt.Sub(r.FirstSeenAt) != time.Hour || !r.ReceivedAt.Equal(at(3).Time) || r.SourceSeq != 3 || ramOf(r) != 7 {
		t.Errorf("record = %+v", r)
	}
	value, rev, err := st.Planners.Raw(t.Context(), "a.b")
	if err != nil || rev != e.Revision {
		t.Fatalf("Raw = revision %d, %v; the view has %d", rev, err, e.Revision)
	}
	if want := string(raw[:len(raw)-3]); string(value[:len(want)]) != want {
		t.Errorf("the value does not begin with what the peer sent: %s", value)
	}
	var fields struct {
		FirstSeen time.Time `json:"first_seen_at"`
		Received  time.Time `json:"received_at"`
		Expires   time.Time `json:"expires_at"`
		Seq       uint64    `json:"source_seq"`
	}
	if err := json.Unmarshal(value, &fields); err != nil {
		t.Fatal(err)
	}
	if !fields.FirstSeen.Equal(r.FirstSeenAt) || !fields.Received.Equal(r.ReceivedAt) || !fields.Expires.Equal(r.ExpiresAt) || fields.Seq != 3 {
		t.Errorf("fields = %+v", fields)
	}
	bucket, err := js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	if entry, err := bucket.Get(t.Context(), "a=2Eb"); err != nil || entry.Revision() != rev {
		t.Errorf("kv get = %v, %v", entry, err)
	}
}

func TestFieldsThatThePeerSentAreReplaced(t *testing.T) {
	t.Parallel()
	st, _ := running(t, natstest.Start(t), store.Config{})
	raw := []byte(`{"source_seq":99,"peer_id":"p","first_seen_\u0061t":"2020-01-01T00:00:00Z","generated_at":"2026-12-01T06:00:00Z","capacities":{},"expires_at":null,"x":"\\"}`)
	apply(t, st, raw, at(5))
	r := shows(t, st, "p", func(planners.Record) bool { return true }).Value
	if r.SourceSeq != 5 || time.Since(r.FirstSeenAt) > time.Hour {
		t.Errorf("record = %+v", r)
	}
	value, _, err := st.Planners.Raw(t.Context(), "p")
	var fields map[string]any
	if err != nil || json.Unmarshal(value, &fields) != nil || len(fields) != 8 {
		t.Errorf("value = %s, %v", value, err)
	}
}

func TestWhichPlannerWins(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, _ := running(t, srv, store.Config{})
	other, _ := open(t, srv, store.Config{}) // a replica whose view shows nothing
	g := now.Add(-time.Minute)
	newBus := origin.Source{Seq: 1, Time: now.Add(time.Hour), Bus: now.Add(time.Hour - time.Second)}
	for i, step := range []struct {
		what string
		gen  time.Time
		src  origin.Source
		ram  int
		want origin.Outcome
	}{
		{"first", g, at(10), 1, origin.Stored},
		{"the same event again", g, at(10), 1, origin.Stored},
		{"generated before", g.Add(-time.Second), at(11), 2, origin.Stale},
		{"generated at the same time, arrived before", g, at(9), 3, origin.Stale},
		{"generated at the same time, arrived later", g, at(12), 4, origin.Stored},
		{"generated later, arrived before", g.Add(time.Second), at(8), 5, origin.Stored},
		{"far ahead counts as generated on arrival", now.Add(24 * time.Hour), at(20), 6, origin.Stored},
		{"so what is generated after that wins", at(21).Time, at(21), 7, origin.Stored},
		{"far ahead again, arrived before", now.Add(48 * time.Hour), at(19), 8, origin.Stale},
		{"same time on a new bus wins over the sequence", at(21).Time, newBus, 9, origin.Stored},
	} {
		for _, replica := range []*store.Store{st, other} { // twice: an event may be handled again anywhere
			if out := apply(t, replica, plannerJSON("p", step.gen, step.ram), step.src); out != step.want {
				t.Errorf("%d %s: %v, want %v", i, step.what, out, step.want)
			}
		}
		if step.want == origin.Stored {
			shows(t, st, "p", func(r planners.Record) bool { return int(ramOf(r)) == step.ram })
		}
	}
}

func TestReplacingKeepsTheEndOfLife(t *testing.T) {
	t.Parallel()
	st, _ := running(t, natstest.Start(t), store.Config{PlannerTTL: 3 * time.Second})
	apply(t, st, plannerJSON("p", now, 0), at(1))
	first := shows(t, st, "p", func(planners.Record) bool { return true }).Value
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	ends := time.After(15 * time.Second)
	for i := 1; ; i++ {
		natstest.Receive(t, tick.C)
		src := arrived(uint64(i + 1))
		out := apply(t, st, plannerJSON("p", now.Add(time.Duration(i)*time.Second), i), src)
		if out == origin.Stale && src.Time.Before(first.ExpiresAt) && !time.Now().Before(first.ExpiresAt) {
			continue // it arrived in the first life, and was handled after it
		}
		if out != origin.Stored {
			t.Fatal(out)
		}
		stored := shows(t, st, "p", func(r planners.Record) bool { return int(ramOf(r)) == i })
		e := stored.Value
		if e.FirstSeenAt.After(first.FirstSeenAt) { // a new life: not stored before the first one's end
			if stored.Stored.Before(first.ExpiresAt) {
				t.Errorf("a new life began at %v, the first ends at %v", stored.Stored, first.ExpiresAt)
			}
			return
		}
		if !e.ExpiresAt.Equal(first.ExpiresAt) {
			t.Fatalf("expires_at moved from %v to %v", first.ExpiresAt, e.ExpiresAt)
		}
		select {
		case <-ends:
			t.Fatal("the planner never expires")
		default:
		}
	}
}

func TestAPlannerExpiresThoughItWasReplaced(t *testing.T) {
	t.Parallel()
	st, _ := running(t, natstest.Start(t), store.Config{PlannerTTL: 2 * time.Second})
	apply(t, st, plannerJSON("p", now, 1), at(1))
	apply(t, st, plannerJSON("p", now, 2), at(2))
	expires := shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 2 }).Value.ExpiresAt
	gone(t, st, "p")
	if time.Now().Before(expires) {
		t.Errorf("gone before %v", expires)
	}
	_, _, err := st.Planners.Raw(t.Context(), "p")
	wantErr(t, err, kv.ErrNotFound)
	apply(t, st, plannerJSON("p", now.Add(-time.Hour), 3), arrived(3)) // older, but nothing stands
	shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 3 })
}

func TestTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	st, _ := open(t, natstest.Start(t), store.Config{})
	small := decode(t, plannerJSON("p", now, 1))
	raw := plannerJSON("p", now, 1)
	pad := func(n int) []byte { return append(slices.Clip(raw), make([]byte, n-len(raw))...) }
	_, err := st.Planners.Apply(t.Context(), pad(planners.MaxBytes+1), small, at(1))
	wantErr(t, err, kv.ErrTooLarge)

	largest := []byte(`{"peer_id":"p","generated_at":"2026-12-01T06:00:00Z","capacities":{},"note":"`)
	largest = fmt.Appendf(largest, `%s"}`, strings.Repeat("x", planners.MaxBytes-len(largest)-2))
	if out, err := st.Planners.Apply(t.Context(), largest, decode(t, largest), at(2)); err != nil || out != origin.Stored {
		t.Errorf("largest: %v, %v", out, err)
	}
	natstest.Run(t, st.Run)
	shows(t, st, "p", func(planners.Record) bool { return true })
}

func TestAServerThatTakesLessSaysSo(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t, func(o *server.Options) { o.MaxPayload = 1 << 20 })
	st, _ := open(t, srv, store.Config{})
	raw := fmt.Appendf(nil, `{"peer_id":"p","generated_at":"2026-12-01T06:00:00Z","capacities":{},"note":%q}`, strings.Repeat("x", 1<<20))
	_, err := st.Planners.Apply(t.Context(), raw, decode(t, raw), at(1))
	wantErr(t, err, kv.ErrTooLarge)
	if err == nil || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("error = %v: it does not name the limit", err)
	}
}

func TestWritersOfAllReplicasLoseNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	const writers, each = 8, 25
	var wg sync.WaitGroup
	for w := range writers {
		st, _ := running(t, srv, store.Config{})
		wg.Go(func() {
			for i := range each {
				n := i*writers + w + 1
				raw := plannerJSON("p", now.Add(time.Duration(n)*time.Millisecond), n)
				pl := decode(t, raw)
				if _, err := st.Planners.Apply(context.Background(), raw, pl, at(uint64(n))); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	wg.Wait()
	st, _ := running(t, srv, store.Config{})
	r := shows(t, st, "p", func(planners.Record) bool { return true }).Value
	if got := int(ramOf(r)); got != writers*each {
		t.Errorf("version %d stands, want the newest, %d", got, writers*each)
	}
}

func TestEndWritesAMarkerEvenWithoutAPlanner(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	yes := func(context.Context) (bool, error) { return true, nil }
	if err := st.Planners.End(t.Context(), "never-seen", "", yes); err != nil {
		t.Fatal(err)
	}
	apply(t, st, plannerJSON("p", now, 1), at(1))
	shows(t, st, "p", func(planners.Record) bool { return true })
	if err := st.Planners.End(t.Context(), "p", "", func(context.Context) (bool, error) { return false, nil }); err != nil {
		t.Fatal(err)
	}
	if _, _, err := st.Planners.Raw(t.Context(), "p"); err != nil {
		t.Errorf("ended though somebody watches: %v", err)
	}
	boom := errors.New("boom")
	wantErr(t, st.Planners.End(t.Context(), "p", "", func(context.Context) (bool, error) { return false, boom }), boom)
	if err := st.Planners.End(t.Context(), "p", "", yes); err != nil {
		t.Fatal(err)
	}
	gone(t, st, "p")
	stream, err := js.Stream(t.Context(), "KV_planners")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"never-seen", "p"} {
		m, err := stream.GetLastMsgForSubject(t.Context(), "$KV.planners."+key)
		if err != nil || m.Header.Get("KV-Operation") != "PURGE" || m.Header.Get("Nats-TTL") != "24h0m0s" {
			t.Errorf("%s: %v, %v", key, m, err)
		}
	}
	apply(t, st, plannerJSON("p", now.Add(-time.Hour), 2), arrived(2))
	shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 2 })
}
