package auth

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"oc-scheduler/httpapi/issuer"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/sessions"
	"oc-scheduler/store/tokens"
)

var (
	// ErrRefused says that a credential is nobody's, or no longer. It does not say why.
	ErrRefused = errors.New("no valid credentials")
	// ErrIssuerAway says that a credential may be good, but that nobody could be asked.
	ErrIssuerAway = issuer.ErrAway
	// ErrBusy says that a credential may be good, but that too many are looked up that are unknown here.
	ErrBusy = errors.New("too many credentials are looked up")
	// ErrStarting says that this replica does not know the tokens and sessions yet.
	ErrStarting = errors.New("the tokens are not loaded yet")
)

// Fresh reads past a view what that does not show. Whatever it fails with, but ErrBusy, nobody has it.
type Fresh[T any] func(ctx context.Context, name string) (T, error)

// Known is what a guard judges by.
type Known struct {
	Tokens       *kv.View[*tokens.Record]
	FreshToken   Fresh[*tokens.Record]
	Sessions     *kv.View[*sessions.Record]
	FreshSession Fresh[*sessions.Record]
}

// Guard knows who shows which credential. It is safe for concurrent use.
type Guard struct {
	now    func() time.Time
	issuer *issuer.Issuer // nil: there is none
	known  atomic.Pointer[Known]
	bonds  bonds
}

// New makes a guard who knows no token yet; now is the clock. The issuer vouches for people; nil: there is none.
func New(now func() time.Time, by *issuer.Issuer) *Guard {
	g := &Guard{now: now, issuer: by}
	g.bonds.stands = g.stands
	if by != nil {
		by.OnChange(func() { g.bonds.review(issuerRoot) })
	}
	return g
}

// Attach gives the guard what it judges by. It is called once.
func (g *Guard) Attach(by Known) {
	by.Tokens.OnChange(func(tokenID string) { g.bonds.review(tokens.SubjectID(tokenID)) })
	by.Sessions.OnChange(func(key string) { g.bonds.review(sessionRoot(key)) })
	g.known.Store(&by)
}

// Granted is what who asks may do; nil when the request shows no credential. It fails with ErrRefused, ErrBusy,
// ErrStarting and ErrIssuerAway.
func (g *Guard) Granted(r *http.Request) (*Grant, error) {
	text, given := Shown(r)
	if given {
		return g.Judge(r.Context(), text)
	}
	sessionID, given := shownCookie(r)
	if !given {
		return nil, nil
	}
	key, ok := sessions.Key(sessionID)
	if !ok {
		return nil, ErrRefused
	}
	k, err := g.loaded()
	if err != nil {
		return nil, err
	}
	return g.bySession(r.Context(), k, key)
}

// Judge is what the bearer of a token may do, ours or one of the issuer. It fails as Granted does.
func (g *Guard) Judge(ctx context.Context, text string) (*Grant, error) {
	c, ok := access.ParseCredential(text)
	if !ok {
		return g.vouched(ctx, text)
	}
	k, err := g.loaded()
	if err != nil {
		return nil, err
	}
	token, err := look(ctx, k.Tokens, k.FreshToken, c.ID)
	if err != nil || !token.Bears(c, g.now()) {
		return nil, refusal(err)
	}
	return ofToken(token), nil
}

// loaded is what the guard judges by. It fails with ErrStarting.
func (g *Guard) loaded() (*Known, error) {
	k := g.known.Load()
	if k == nil {
		return nil, ErrStarting
	}
	for _, loaded := range []<-chan struct{}{k.Tokens.Loaded(), k.Sessions.Loaded()} {
		select {
		case <-loaded:
		default:
			return nil, ErrStarting
		}
	}
	return k, nil
}

// look is what a view shows, or else what is stored: another replica may have written it just now.
func look[T any](ctx context.Context, view *kv.View[T], fresh Fresh[T], name string) (T, error) {
	if e, shown := view.Get(name); shown {
		return e.Value, nil
	}
	value, err := fresh(ctx, name)
	if errors.Is(err, ErrBusy) {
		if e, shown := view.Get(name); shown { // by now
			return e.Value, nil
		}
	}
	return value, err
}

// refusal is what somebody is told whose credential was looked at, with this outcome.
func refusal(err error) error {
	if errors.Is(err, ErrBusy) {
		return ErrBusy
	}
	return ErrRefused
}

// vouched is what the bearer of a token of the issuer may do.
func (g *Guard) vouched(ctx context.Context, text string) (*Grant, error) {
	if g.issuer == nil {
		return nil, ErrRefused
	}
	p, err := g.issuer.Bearer(ctx, text)
	if errors.Is(err, issuer.ErrRefused) {
		err = ErrRefused
	}
	if err != nil {
		return nil, err
	}
	return OfPerson(p), nil
}

// stands says whether what was granted still is.
func (g *Guard) stands(of *Grant) bool {
	if of.ended(g.now()) {
		return false
	}
	if of.key != "" && !g.issuer.Trusts(of.key) {
		return false
	}
	if of.session == "" && of.token == nil {
		return true
	}
	k := g.known.Load()
	if k == nil {
		return false
	}
	if of.session != "" {
		if _, shown := k.Sessions.Get(of.session); !shown {
			return false
		}
	}
	if of.token == nil {
		return true
	}
	e, shown := k.Tokens.Get(tokens.TokenID(of.token.ID))
	return shown && e.Value.Subject().Same(of.token)
}

// Bind has end called when a grant ends: at once when it has ended already, and again until release, which is to
// be called once. It must not block.
func (g *Guard) Bind(of *Grant, end func()) (release func()) { return g.bonds.bind(of, end) }
