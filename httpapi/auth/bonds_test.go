package auth_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/sessions"
	"oc-scheduler/store/tokens"
)

// guard is one who knows the tokens and sessions of two buckets.
func guard(t testing.TB) (*auth.Guard, *tokens.Tokens, *sessions.Sessions) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	streams, err := kv.Open(t.Context(), natstest.Start(t).JetStream(t), kv.Config{Replicas: 1, Log: log}, tokens.Layout, sessions.Layout)
	if err != nil {
		t.Fatal(err)
	}
	of := tokens.New(streams[0].Keys(kv.BucketSpace(tokens.Bucket)))
	logIns := sessions.New(streams[1].Keys(kv.BucketSpace(sessions.Bucket)))
	g := auth.New(time.Now, nil)
	g.Attach(auth.Known{Tokens: of.View(), FreshToken: of.Get, Sessions: logIns.View(), FreshSession: logIns.Get})
	natstest.Run(t, of.View().Run)
	natstest.Run(t, logIns.View().Run)
	natstest.Receive(t, of.View().Loaded())
	natstest.Receive(t, logIns.View().Loaded())
	return g, of, logIns
}

// bearer is what the bearer of a new token is granted, once the view shows it.
func bearer(t testing.TB, g *auth.Guard, of *tokens.Tokens, ttl time.Duration) *auth.Grant {
	t.Helper()
	for {
		made, c, err := of.Create(t.Context(), tokens.Draft{Name: "n", Role: access.Viewer, TTL: ttl}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		granted, err := judge(t, g, of, made.ID, c)
		if err == nil {
			return granted
		}
		if !made.ExpiresAt.Before(time.Now()) { // else a slow machine came too late
			t.Fatal(err)
		}
	}
}

func judge(t testing.TB, g *auth.Guard, of *tokens.Tokens, tokenID string, c access.Credential) (*auth.Grant, error) {
	t.Helper()
	natstest.Eventually(t, "the token is in view", func() bool {
		_, shown := of.View().Get(tokenID)
		_, err := of.Get(t.Context(), tokenID)
		return shown || err != nil
	})
	return g.Judge(t.Context(), c.Reveal())
}

// session is what a browser is granted that is logged in by a grant.
func session(t *testing.T, g *auth.Guard, of *sessions.Sessions, by *auth.Grant) *auth.Grant {
	t.Helper()
	ground, end := by.Ground()
	id, made, err := of.Begin(t.Context(), ground, end, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, _ := sessions.Key(id)
	natstest.Eventually(t, "the view shows the session", func() bool { _, shown := of.View().Get(key); return shown })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://oc.example/", nil)
	cookie, ok := auth.WayOf(r).Cookie(id, made.ExpiresAt, time.Now())
	if !ok {
		t.Fatal("no session")
	}
	r.AddCookie(cookie)
	granted, err := g.Granted(r)
	if err != nil || granted.Session() != key {
		t.Fatal(granted, err)
	}
	return granted
}

// bound is a bond that tells when it is ended.
func bound(g *auth.Guard, s *auth.Grant) (ended <-chan struct{}, release func()) {
	told := make(chan struct{}, 1)
	return told, g.Bind(s, func() {
		select {
		case told <- struct{}{}:
		default:
		}
	})
}

func TestWhatIsBoundEndsWithTheRight(t *testing.T) {
	t.Parallel()
	g, of, _ := guard(t)
	revoked, brief, other := bearer(t, g, of, 0), bearer(t, g, of, 2*time.Second), bearer(t, g, of, 0)
	first, releaseFirst := bound(g, revoked)
	second, releaseSecond := bound(g, revoked)
	ending, releaseEnding := bound(g, brief)
	lasting, releaseLasting := bound(g, other)
	released, release := bound(g, revoked)
	release()
	if err := of.Revoke(t.Context(), tokens.TokenID(revoked.Subject.ID)); err != nil {
		t.Fatal(err)
	}
	for _, ended := range []<-chan struct{}{first, second, ending} {
		natstest.Receive(t, ended)
	}
	late, releaseLate := bound(g, revoked) // who was let in before, and comes to be bound after
	natstest.Receive(t, late)
	for _, lives := range []<-chan struct{}{lasting, released} {
		select {
		case <-lives:
			t.Error("ended though its right has not, or it was released")
		default:
		}
	}
	for _, release := range []func(){releaseFirst, releaseSecond, releaseEnding, releaseLasting, releaseLate} {
		release()
	}
}

// TestAnotherTokenOfTheSameID does not carry what the one before did.
func TestAnotherTokenOfTheSameID(t *testing.T) {
	t.Parallel()
	g, of, _ := guard(t)
	begin := func() *auth.Grant {
		t.Helper()
		c := access.MintAs(tokens.Bootstrap)
		if err := of.Begin(t.Context(), c, time.Now()); err != nil {
			t.Fatal(err)
		}
		granted, err := judge(t, g, of, tokens.Bootstrap, c)
		if err != nil {
			t.Fatal(err)
		}
		return granted
	}
	before := begin()
	ended, release := bound(g, before)
	if err := of.Revoke(t.Context(), tokens.Bootstrap); err != nil {
		t.Fatal(err)
	}
	natstest.Receive(t, ended)
	if after := begin(); after.Subject.Same(before.Subject) {
		t.Error("two tokens are one subject")
	}
	release()
	ended, release = bound(g, before)
	natstest.Receive(t, ended)
	release()
}

// TestWhatIsBoundToASession ends with it, and with the token that it rests on; what other sessions and the token
// itself have goes on.
func TestWhatIsBoundToASession(t *testing.T) {
	t.Parallel()
	g, of, logIns := guard(t)
	token := bearer(t, g, of, 0)
	one, other := session(t, g, logIns, token), session(t, g, logIns, token)
	if one.Subject.ID != token.Subject.ID || one.Subject.End.IsZero() || one.Subject.Since != token.Subject.Since {
		t.Errorf("the session is of %+v", one.Subject)
	}
	ofOne, releaseOne := bound(g, one)
	ofOther, releaseOther := bound(g, other)
	ofToken, releaseToken := bound(g, token)
	if err := logIns.End(t.Context(), one.Session()); err != nil {
		t.Fatal(err)
	}
	natstest.Receive(t, ofOne)
	for _, lives := range []<-chan struct{}{ofOther, ofToken} {
		select {
		case <-lives:
			t.Error("ended with a session of another")
		default:
		}
	}
	if err := of.Revoke(t.Context(), tokens.TokenID(token.Subject.ID)); err != nil {
		t.Fatal(err)
	}
	natstest.Receive(t, ofOther)
	natstest.Receive(t, ofToken)
	for _, release := range []func(){releaseOne, releaseOther, releaseToken} {
		release()
	}
}

// TestASessionEndsWithItsToken whose end was known when it began.
func TestASessionEndsWithItsToken(t *testing.T) {
	t.Parallel()
	g, of, logIns := guard(t)
	token := bearer(t, g, of, 3*time.Second)
	granted := session(t, g, logIns, token)
	if !granted.Subject.End.Equal(token.Subject.End) {
		t.Errorf("the session ends at %v, the token at %v", granted.Subject.End, token.Subject.End)
	}
	ended, release := bound(g, granted)
	defer release()
	natstest.Receive(t, ended)
}

// BenchmarkBind is what a stream takes more for being somebody's: what was granted to it, and what ends it then.
func BenchmarkBind(b *testing.B) {
	g, of, _ := guard(b)
	made, c, err := of.Create(b.Context(), tokens.Draft{Name: "n", Role: access.Viewer}, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := judge(b, g, of, made.ID, c); err != nil {
		b.Fatal(err)
	}
	ends := 0
	releases := make([]func(), 0, 20_000) // so many streams
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := held()
	for range cap(releases) {
		granted, err := g.Judge(b.Context(), c.Reveal())
		if err != nil {
			b.Fatal(err)
		}
		releases = append(releases, g.Bind(granted, func() { ends++ }))
	}
	each := float64(held()-before) / float64(len(releases))
	for _, release := range releases {
		release()
	}
	for b.Loop() { // there is nothing to repeat
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(each, "B/stream")
}
