package tokens_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/tokens"
)

// create makes a token and waits until the view shows it.
func create(t *testing.T, of *tokens.Tokens, d tokens.Draft) (tokens.Token, access.Credential) {
	t.Helper()
	made, c, err := of.Create(t.Context(), d, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the view shows the token", func() bool { _, shown := of.View().Get(made.ID); return shown })
	return made, c
}

func TestATokenIsItsBearersUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	of := open(t, natstest.Start(t))
	made, c := create(t, of, tokens.Draft{Name: "portal", Role: access.User, Groups: []string{"b", "a", "b"}, By: "anonymous"})
	e, _ := of.View().Get(made.ID)
	s := e.Value.Subject()
	if s.ID != "token:"+made.ID || s.Name != "portal" || s.Role != access.User || !slices.Equal(s.Groups, []string{"a", "b"}) || !s.End.IsZero() {
		t.Errorf("the subject is %+v", s)
	}
	if !e.Value.Bears(c, time.Now().AddDate(100, 0, 0)) || e.Value.Bears(access.MintAs(made.ID), time.Now()) {
		t.Error("a token is that of its secret alone, for ever")
	}
	if read, err := of.Get(t.Context(), made.ID); err != nil || !read.Bears(c, time.Now()) {
		t.Error(err)
	}
	if err := of.Revoke(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the view drops the token", func() bool { _, shown := of.View().Get(made.ID); return !shown })
	for _, err := range []error{of.Revoke(t.Context(), made.ID), of.Revoke(t.Context(), "nobody")} {
		if !errors.Is(err, kv.ErrNotFound) {
			t.Error(err)
		}
	}
	if _, err := of.Get(t.Context(), made.ID); !errors.Is(err, kv.ErrNotFound) {
		t.Error(err)
	}
}

// TestNoSecretIsKept: whoever reads the bucket can be nobody.
func TestNoSecretIsKept(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	of := open(t, s)
	made, c := create(t, of, tokens.Draft{Name: "n", Role: access.Viewer})
	bucket, err := s.JetStream(t).KeyValue(t.Context(), tokens.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := bucket.Get(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	secret := c.Reveal()[strings.LastIndex(c.Reveal(), "_")+1:]
	if value := string(kept.Value()); strings.Contains(value, secret) || !strings.Contains(value, `"secret_sha256"`) {
		t.Error(value)
	}
}

// TestATokenWithAnEnd is judged by its end, and its key ends too.
func TestATokenWithAnEnd(t *testing.T) {
	t.Parallel()
	of := open(t, natstest.Start(t))
	made, c := create(t, of, tokens.Draft{Name: "n", Role: access.Viewer, TTL: time.Second})
	e, _ := of.View().Get(made.ID)
	if end := *made.ExpiresAt; !e.Value.Bears(c, end.Add(-1)) || e.Value.Bears(c, end) || e.Value.Subject().End != end {
		t.Errorf("a token ends at %v", end)
	}
	natstest.Eventually(t, "the key ends", func() bool { _, shown := of.View().Get(made.ID); return !shown })
}

func TestARevokedTokenStaysAway(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	of := open(t, s)
	for ttl, want := range map[time.Duration]string{0: "", time.Minute: "1h0m0s", 48 * time.Hour: "48h0m0s"} {
		made, _ := create(t, of, tokens.Draft{Name: "n", Role: access.Viewer, TTL: ttl})
		if err := of.Revoke(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}
		stream, err := s.JetStream(t).Stream(t.Context(), "KV_tokens")
		if err != nil {
			t.Fatal(err)
		}
		marker, err := stream.GetLastMsgForSubject(t.Context(), "$KV.tokens."+made.ID)
		if err != nil || !kv.IsMarker(marker.Header) || marker.Header.Get("Nats-TTL") != want {
			t.Errorf("a token of %v leaves %v, %v", ttl, marker, err)
		}
	}
}

func TestBrokenTokensAreNobodys(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	of := open(t, s)
	bucket, err := s.JetStream(t).KeyValue(t.Context(), tokens.Bucket)
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.Repeat("ab", 32)
	for key, value := range map[string]string{
		"a": `{"id":"b","role":"admin","secret_sha256":"` + hash + `"}`,
		"c": `{"id":"c","role":"admin"}`,
		"d": `{"id":"d","secret_sha256":"` + hash + `"}`,
		"e": `{"id":"e","role":"root","secret_sha256":"` + hash + `"}`,
		"f": `{"id":"f","role":"admin","secret_sha256":"ab"}`,
		"g": `not JSON`,
	} {
		if _, err := bucket.PutString(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Eventually(t, "all are broken", func() bool { return len(of.View().Broken()) == 6 })
	if governed, err := of.Governed(t.Context(), time.Now()); governed || err != nil {
		t.Error(governed, err)
	}
	if err := of.Revoke(t.Context(), "g"); err != nil { // what nobody can read can be taken away
		t.Error(err)
	}
}

func TestProgramsThatAreNoReplica(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	log := slog.New(slog.DiscardHandler)
	if _, err := tokens.Reach(t.Context(), s.JetStream(t), log); !errors.Is(err, kv.ErrNotFound) {
		t.Error(err)
	}
	of := open(t, s)
	far, err := tokens.Reach(t.Context(), s.JetStream(t), log)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := far.Create(t.Context(), tokens.Draft{Name: "n", Role: access.Viewer}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	create(t, of, tokens.Draft{Name: "m", Role: access.Viewer, TTL: time.Minute})
	all, err := far.All(t.Context(), time.Now().Add(2*time.Minute))
	if err != nil || len(all) != 1 || all[0].ID != made.ID {
		t.Errorf("all are %v, %v", all, err)
	}
}
