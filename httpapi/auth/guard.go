package auth

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/tokens"
)

var (
	// ErrRefused says that a credential is nobody's, or no longer. It does not say why.
	ErrRefused = errors.New("no valid credentials")
	// ErrStarting says that this replica does not know the tokens yet.
	ErrStarting = errors.New("the tokens are not loaded yet")
)

// Fresh reads a token past the view. Whatever it fails with, nobody bears the token.
type Fresh func(ctx context.Context, tokenID string) (*tokens.Record, error)

// Guard knows who bears which credential. It is safe for concurrent use.
type Guard struct {
	now   func() time.Time
	known atomic.Pointer[known]
	bonds bonds
}

// known is what a guard judges by.
type known struct {
	view  *kv.View[*tokens.Record]
	fresh Fresh
}

// New makes a guard who knows nobody yet; now is the clock.
func New(now func() time.Time) *Guard {
	g := &Guard{now: now}
	g.bonds.stands = g.stands
	return g
}

// Attach gives the guard what it judges by. It is called once.
func (g *Guard) Attach(view *kv.View[*tokens.Record], fresh Fresh) {
	view.OnChange(func(tokenID string) { g.bonds.review(tokens.SubjectID(tokenID)) })
	g.known.Store(&known{view, fresh})
}

// Subject is who asks; nil when the request shows no credential. It fails with ErrRefused and ErrStarting.
func (g *Guard) Subject(r *http.Request) (*access.Subject, error) {
	text, given := Shown(r)
	if !given {
		return nil, nil
	}
	c, ok := access.ParseCredential(text)
	if !ok {
		return nil, ErrRefused
	}
	k := g.known.Load()
	if k == nil || !k.loaded() {
		return nil, ErrStarting
	}
	token, err := k.token(r.Context(), c.ID)
	if err != nil || !token.Bears(c, g.now()) {
		return nil, ErrRefused
	}
	return token.Subject(), nil
}

func (k *known) loaded() bool {
	select {
	case <-k.view.Loaded():
		return true
	default:
		return false
	}
}

// token is a token as the view shows it, or else as it is stored: another replica may have made it just now.
func (k *known) token(ctx context.Context, tokenID string) (*tokens.Record, error) {
	if e, shown := k.view.Get(tokenID); shown {
		return e.Value, nil
	}
	return k.fresh(ctx, tokenID)
}

// stands says whether a subject may still do what it could.
func (g *Guard) stands(s *access.Subject) bool {
	k := g.known.Load()
	if k == nil || s.Ended(g.now()) {
		return false
	}
	e, shown := k.view.Get(tokens.TokenID(s.ID))
	return shown && e.Value.Subject().Same(s)
}

// Bind has end called when the right of a subject ends: at once when it has ended already, and again until
// release, which is to be called once. It must not block.
func (g *Guard) Bind(s *access.Subject, end func()) (release func()) { return g.bonds.bind(s, end) }
