package planners

import (
	"bytes"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
)

// published is a planner as a peer may send it: with members that are none of ours, or are not for it
// to say.
func published(t *rapid.T) []byte {
	members := []string{`"peer_id":"p"`, `"generated_at":"2026-12-01T06:00:00.5+02:00"`}
	for _, m := range []string{
		`"capacities":{"r":{"i":{"cpu":{"x":1.5},"ram":4},"j":{}},"s":{}}`, `"source_seq":99`, `"expires_at":"2020-01-01T00:00:00Z"`,
		`"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","instance_id":"i","usage":{"ram":1}}],"z":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z"}]}`,
		`"note":"a\"b"`, `"x":[{}]`,
	} {
		if rapid.Bool().Draw(t, m) {
			members = append(members, m)
		}
	}
	return []byte(" {" + strings.Join(rapid.Permutation(members).Draw(t, "members"), ", ") + " }\n")
}

// What is remembered of a planner is what reading it from the bucket would give.
func TestAnEchoIsWhatTheBucketSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := published(t)
		pl, err := planner.Decode(raw, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := withoutLife(raw)
		if err != nil {
			t.Fatal(err)
		}
		at := func(name string) time.Time {
			zone := time.FixedZone("", 3600*rapid.IntRange(-3, 3).Draw(t, name+" zone"))
			return time.Now().Add(time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, name))).In(zone)
		}
		l := life{firstSeen: at("first"), expires: at("end"), received: at("received"), seq: rapid.Uint64().Draw(t, "seq")}
		if rapid.Bool().Draw(t, "a life before") {
			l.past = past{ended: at("ended")}
		}
		if rapid.Bool().Draw(t, "numbered") {
			l.past.seq, l.past.received = rapid.Uint64Min(1).Draw(t, "last"), at("last received")
		}
		w := l.write(body, time.Now())
		m := w.Message("$KV.planners.p", 7)
		want, err := recordOf("p", m.Header, m.Data)
		if err != nil {
			t.Fatal(err)
		}
		e := newEchoes()
		e.expect("p", w.Data, l.record(pl))
		got, ok := e.meet("p", m.Header, m.Data)
		if !ok || got.PeerID() != want.PeerID() || got.GeneratedAt() != want.GeneratedAt() || got.Digest() != want.Digest() {
			t.Fatalf("%v: %+v, want %+v", ok, got.Planner, want.Planner)
		}
		if want.Planner = pl; got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
		if _, ok := e.meet("p", m.Header, m.Data); ok {
			t.Fatal("met twice")
		}
	})
}

// Only the very message is an echo.
func TestWhatIsNoEcho(t *testing.T) {
	t.Parallel()
	l := life{firstSeen: time.Now(), past: past{1, time.Now(), time.Now()}, expires: time.Now().Add(time.Hour)}
	w := l.write([]byte(`{"peer_id":"p","generated_at":"2026-12-01T06:00:00Z"`), time.Now())
	e := newEchoes()
	e.expect("p", w.Data, l.record(nil))
	for name, change := range map[string]func(m *kv.Write){
		"longer data":       func(w *kv.Write) { w.Data = append([]byte(" "), w.Data...) },
		"other data":        func(w *kv.Write) { w.Data = bytes.ToUpper(w.Data) },
		"without end":       func(w *kv.Write) { w.TTL = 0 },
		"of another life":   func(w *kv.Write) { w.Header = past{1, l.past.received, l.past.ended.Add(1)}.header() },
		"of other numbers":  func(w *kv.Write) { w.Header = past{2, l.past.received, l.past.ended}.header() },
		"of another bus":    func(w *kv.Write) { w.Header = past{1, l.past.received.Add(1), l.past.ended}.header() },
		"of the first life": func(w *kv.Write) { w.Header = nil },
	} {
		other := *w
		change(&other)
		m := other.Message("$KV.planners.p", 1)
		if _, ok := e.meet("p", m.Header, m.Data); ok {
			t.Errorf("%s: taken for an echo", name)
		}
	}
	m := w.Message("$KV.planners.p", 1)
	if _, ok := e.meet("q", m.Header, m.Data); ok {
		t.Error("of another peer: taken for an echo")
	}
	if _, ok := e.meet("p", m.Header, m.Data); !ok {
		t.Error("not taken for an echo")
	}
}

// TestWhatWasNotStoredHasNoEcho: a planner that comes back after its end is not stored at the first try.
func TestWhatWasNotStoredHasNoEcho(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	log := slog.New(slog.DiscardHandler)
	streams, err := kv.Open(t.Context(), js, kv.Config{Replicas: 1, Log: log}, Layout)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := kv.ReadClock(t.Context(), streams[0])
	if err != nil {
		t.Fatal(err)
	}
	p := New(streams[0].Keys(kv.BucketSpace(Bucket)), Config{TTL: time.Hour, Clock: clock, Log: log})
	stop := natstest.Run(t, p.View().Run)
	natstest.Eventually(t, "the view is current", p.View().Current)
	if _, err := js.PublishMsg(t.Context(), kv.Remove(time.Hour).Message("$KV.planners.p", 0)); err != nil {
		t.Fatal(err)
	}
	raw := []byte(`{"peer_id":"p","generated_at":"2026-12-01T06:00:00Z"}`)
	pl, err := planner.Decode(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Apply(t.Context(), raw, pl, origin.Source{Seq: 1, Time: time.Now().Add(time.Minute), Bus: time.Now()})
	if out != origin.Stored || err != nil {
		t.Errorf("%v, %v", out, err)
	}
	natstest.Eventually(t, "the view has met it", func() bool {
		_, shown := p.View().Get("p")
		return shown
	})
	stop()
	if n := len(p.echoes.of); n > 0 {
		t.Errorf("%d echoes are left", n)
	}
}

func TestEchoesAreBounded(t *testing.T) {
	t.Parallel()
	e := newEchoes()
	for i := range 3*maxEchoes + 1 {
		e.expect(strconv.Itoa(i), fmt.Append(nil, i), Record{})
		if len(e.of) > maxEchoes {
			t.Fatalf("%d are remembered", len(e.of))
		}
	}
	e.expect("large", make([]byte, maxEchoBytes+1), Record{})
	if len(e.of) != 1 {
		t.Errorf("%d are remembered, want the last small one", len(e.of))
	}
}
