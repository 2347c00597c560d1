package auth_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/tokens"
)

// guard is one who knows the tokens of a bucket.
func guard(t *testing.T) (*auth.Guard, *tokens.Tokens) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	streams, err := kv.Open(t.Context(), natstest.Start(t).JetStream(t), kv.Config{Replicas: 1, Log: log}, tokens.Layout)
	if err != nil {
		t.Fatal(err)
	}
	of := tokens.New(streams[0].Keys(kv.BucketSpace(tokens.Bucket)))
	g := auth.New(time.Now)
	g.Attach(of.View(), func(ctx context.Context, tokenID string) (*tokens.Record, error) { return of.Get(ctx, tokenID) })
	natstest.Run(t, of.View().Run)
	natstest.Receive(t, of.View().Loaded())
	return g, of
}

// subject is the bearer of a new token.
func subject(t *testing.T, of *tokens.Tokens, ttl time.Duration) *access.Subject {
	t.Helper()
	made, _, err := of.Create(t.Context(), tokens.Draft{Name: "n", Role: access.Viewer, TTL: ttl}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var e kv.Entry[*tokens.Record]
	natstest.Eventually(t, "the view shows the token", func() (shown bool) { e, shown = of.View().Get(made.ID); return shown })
	return e.Value.Subject()
}

// bound is a bond that tells when it is ended.
func bound(g *auth.Guard, s *access.Subject) (ended <-chan struct{}, release func()) {
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
	g, of := guard(t)
	revoked, brief, other := subject(t, of, 0), subject(t, of, time.Second), subject(t, of, 0)
	first, releaseFirst := bound(g, revoked)
	second, releaseSecond := bound(g, revoked)
	ending, releaseEnding := bound(g, brief)
	lasting, releaseLasting := bound(g, other)
	released, release := bound(g, revoked)
	release()
	if err := of.Revoke(t.Context(), tokens.TokenID(revoked.ID)); err != nil {
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
	g, of := guard(t)
	begin := func() *access.Subject {
		t.Helper()
		if err := of.Begin(t.Context(), access.MintAs(tokens.Bootstrap), time.Now()); err != nil {
			t.Fatal(err)
		}
		var e kv.Entry[*tokens.Record]
		natstest.Eventually(t, "the view shows the token", func() (shown bool) { e, shown = of.View().Get(tokens.Bootstrap); return shown })
		return e.Value.Subject()
	}
	before := begin()
	ended, release := bound(g, before)
	if err := of.Revoke(t.Context(), tokens.Bootstrap); err != nil {
		t.Fatal(err)
	}
	natstest.Receive(t, ended)
	if after := begin(); after.Same(before) {
		t.Error("two tokens are one subject")
	}
	release()
	ended, release = bound(g, before)
	natstest.Receive(t, ended)
	release()
}
