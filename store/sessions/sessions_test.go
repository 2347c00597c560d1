package sessions_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/sessions"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// open is the bucket, as a replica of its own has it, with its view loaded.
func open(t *testing.T, s *natstest.Server) *sessions.Sessions {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	streams, err := kv.Open(t.Context(), s.JetStream(t), kv.Config{Replicas: 1, Log: log}, sessions.Layout)
	if err != nil {
		t.Fatal(err)
	}
	of := sessions.New(streams[0].Keys(kv.BucketSpace(sessions.Bucket)))
	natstest.Run(t, of.View().Run)
	natstest.Receive(t, of.View().Loaded())
	return of
}

var person = sessions.Record{Person: &sessions.Person{Issuer: "i", ID: "oidc:a", Name: "A", Role: access.User, Groups: []string{"g"}}}

func TestASessionBeginsAndEnds(t *testing.T) {
	t.Parallel()
	of := open(t, natstest.Start(t))
	now := time.Now()
	id, made, err := of.Begin(t.Context(), person, time.Time{}, now)
	if err != nil || !made.ExpiresAt.Equal(now.Add(12*time.Hour)) || made.Ended(now) || !made.Ended(made.ExpiresAt) {
		t.Fatal(made, err)
	}
	key, ok := sessions.Key(id)
	if read, err := of.Get(t.Context(), key); !ok || err != nil || read.Person.ID != "oidc:a" || strings.Contains(key, id) {
		t.Error(read, err)
	}
	natstest.Eventually(t, "the view shows it", func() bool { _, shown := of.View().Get(key); return shown })
	for range 2 { // what has ended may be ended again
		if err := of.End(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Eventually(t, "the view drops it", func() bool { _, shown := of.View().Get(key); return !shown })
	if _, err := of.Get(t.Context(), key); !errors.Is(err, kv.ErrNotFound) {
		t.Error(err)
	}
	if other, _, err := of.Begin(t.Context(), person, time.Time{}, now); err != nil || other == id {
		t.Error(other, err)
	}
}

// TestASessionWithAnEarlierEnd ends with what it rests on, and so does its key.
func TestASessionWithAnEarlierEnd(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	of := open(t, s)
	now := time.Now()
	id, made, err := of.Begin(t.Context(), sessions.Record{Token: &sessions.Token{ID: "a", CreatedAt: now}}, now.Add(time.Minute), now)
	if err != nil || !made.ExpiresAt.Equal(now.Add(time.Minute)) {
		t.Fatal(made, err)
	}
	key, _ := sessions.Key(id)
	stream, err := s.JetStream(t).Stream(t.Context(), "KV_sessions")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := stream.GetLastMsgForSubject(t.Context(), "$KV.sessions."+key)
	if err != nil || kept.Header.Get("Nats-TTL") != "1m0s" || strings.Contains(string(kept.Data), id) {
		t.Errorf("kept is %v, %v", kept, err)
	}
}

func TestBrokenSessionsAreNobodys(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	of := open(t, s)
	bucket, err := s.JetStream(t).KeyValue(t.Context(), sessions.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	const end = `"expires_at":"2126-01-01T00:00:00Z"`
	bad := map[string]string{
		"a": `{`, "b": `{` + end + `}`, "c": `{"token":{"id":"x"}}`, "d": `{"token":{"id":"x"},"person":{"id":"oidc:a","role":"user"},` + end + `}`,
		"e": `{"person":{"id":"","role":"admin"},` + end + `}`, "f": `{"person":{"id":"oidc:a"},` + end + `}`, "g": `{"person":{"id":"oidc:a","role":"root"},` + end + `}`,
	}
	for key, text := range bad {
		if _, err := bucket.PutString(t.Context(), key, text); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Eventually(t, "all are broken", func() bool { return len(of.View().Broken()) == len(bad) })
}

func TestWhatIsNoSession(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", strings.Repeat("a", 65)} {
		if _, ok := sessions.Key(id); ok {
			t.Errorf("%q has a key", id)
		}
	}
}
