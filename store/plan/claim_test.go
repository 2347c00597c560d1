package plan

import (
	"errors"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// TestAClaim is somebody's until his time is over, he gives it up, or has answered.
func TestAClaim(t *testing.T) {
	t.Parallel()
	p := open(t, natstest.Start(t))
	claim := func(name, asked string, want error) *Claim {
		t.Helper()
		c, err := p.Claim(t.Context(), name, asked)
		if !errors.Is(err, want) {
			t.Fatalf("claim %s for %s: %v, want %v", name, asked, err, want)
		}
		return c
	}
	mine := claim("a", "x", nil)
	claim("a", "x", ErrInProgress)
	claim("a", "y", ErrOtherRequest)
	if err := mine.Extend(t.Context(), -claimedFor); err != nil {
		t.Fatal(err)
	}
	theirs := claim("a", "y", nil) // another request, too: nothing came of the first
	for what, f := range map[string]func() error{
		"check": func() error { return mine.Check(t.Context()) }, "extend": func() error { return mine.Extend(t.Context(), time.Minute) },
		"keep": func() error { return mine.Keep(t.Context(), Answer{}) },
	} {
		if err := f(); !errors.Is(err, ErrInProgress) {
			t.Errorf("overtaken, %s: %v", what, err)
		}
	}
	if err := mine.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := theirs.Check(t.Context()); err != nil {
		t.Errorf("he who was overtaken has given up another's: %v", err)
	}
	if err := theirs.Keep(t.Context(), Answer{Status: 201, Body: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if err := theirs.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if c := claim("a", "y", nil); c.Answer == nil || c.Answer.Status != 201 {
		t.Errorf("answered was %+v", c.Answer)
	}
	claim("a", "x", ErrOtherRequest)
	m, err := p.claims.Newest(t.Context(), kv.KeyOf("a"))
	if err != nil || m.Header.Get("Nats-TTL") != "24h0m0s" {
		t.Errorf("it stays for %q, %v", m.Header.Get("Nats-TTL"), err)
	}
	if _, err := p.ClaimFor(t.Context(), time.Minute, "brief", "x"); err != nil {
		t.Fatal(err)
	}
	if m, err = p.claims.Newest(t.Context(), kv.KeyOf("brief")); err != nil || m.Header.Get("Nats-TTL") != "1m0s" {
		t.Errorf("for a minute it stays for %q, %v", m.Header.Get("Nats-TTL"), err)
	}
	if _, err := p.claims.Change(t.Context(), kv.KeyOf("broken"), func(kv.Message) (*kv.Write, error) { return &kv.Write{Data: []byte("{")}, nil }); err != nil {
		t.Fatal(err)
	}
	claim("broken", "x", nil)
}
