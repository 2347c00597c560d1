package auth

import (
	"context"
	"strconv"
	"time"

	"oc-scheduler/httpapi/issuer"
	"oc-scheduler/store/access"
	"oc-scheduler/store/sessions"
	"oc-scheduler/store/tokens"
)

// Grant is what somebody may do, and what that rests on. It is immutable.
type Grant struct {
	Subject *access.Subject
	end     time.Time       // when it is over, whatever else happens; zero: never
	session string          // the key of the session that shows it; "": none does
	token   *access.Subject // the bearer of the token that it rests on; nil: it rests on none
	issuer  string          // who has vouched for the subject; "": nobody had to
	key     string          // of the issuer, which has signed for it; "": none has
}

// Session is the key of the session that shows the grant; "": it was shown otherwise.
func (g *Grant) Session() string { return g.session }

func (g *Grant) ended(at time.Time) bool { return !g.end.IsZero() && !at.Before(g.end) }

// own names what grants share that end at the same time.
func (g *Grant) own() string {
	switch {
	case g.session != "":
		return sessionRoot(g.session)
	case g.key != "":
		return g.Subject.ID + " " + g.key + " " + strconv.FormatInt(g.end.UnixNano(), 36)
	}
	return g.Subject.ID
}

// roots name all that a grant may end with, its own first.
func (g *Grant) roots() []string {
	roots := []string{g.own()}
	if g.session != "" && g.token != nil {
		roots = append(roots, g.token.ID)
	}
	if g.key != "" {
		roots = append(roots, issuerRoot)
	}
	return roots
}

// Ground is what a session of the grant's subject rests on, and when that ends; zero: never.
func (g *Grant) Ground() (r sessions.Record, end time.Time) {
	if g.token == nil {
		s := g.Subject
		r.Person = &sessions.Person{Issuer: g.issuer, Key: []byte(g.key), ID: s.ID, Name: s.Name, Role: s.Role, Groups: s.Groups}
		return r, g.end
	}
	r.Token = &sessions.Token{ID: tokens.TokenID(g.token.ID), CreatedAt: g.token.Since}
	return r, g.end
}

// issuerRoot is what all that the issuer has signed hangs on: its keys.
const issuerRoot = "issuer"

func sessionRoot(key string) string { return "session:" + key }

// ofToken is what the bearer of a token may do.
func ofToken(r *tokens.Record) *Grant {
	return &Grant{Subject: r.Subject(), end: r.Subject().End, token: r.Subject()}
}

// OfPerson is what somebody may do whom the issuer has vouched for.
func OfPerson(p *issuer.Person) *Grant {
	return &Grant{Subject: p.Subject, end: p.End, key: p.Key, issuer: p.Issuer}
}

// bySession is what a session shows. It fails with ErrRefused when that has ended, and with ErrBusy.
func (g *Guard) bySession(ctx context.Context, k *Known, key string) (*Grant, error) {
	now := g.now()
	r, err := look(ctx, k.Sessions, k.FreshSession, key)
	if err != nil || r.Ended(now) {
		return nil, refusal(err)
	}
	if r.Person != nil {
		return g.ofPerson(ctx, key, r)
	}
	token, err := look(ctx, k.Tokens, k.FreshToken, r.Token.ID)
	if err != nil || !token.CreatedAt.Equal(r.Token.CreatedAt) || token.Subject().Ended(now) {
		return nil, refusal(err)
	}
	return &Grant{Subject: until(token.Subject(), r), end: r.ExpiresAt, session: key, token: token.Subject()}, nil
}

// ofPerson is what a session of a person shows, of the issuer that is believed here, as long as that stands by it.
func (g *Guard) ofPerson(ctx context.Context, key string, r *sessions.Record) (*Grant, error) {
	p := r.Person
	if g.issuer == nil || p.Issuer != g.issuer.URL() || len(p.Key) > 0 && !g.issuer.StandsBy(ctx, string(p.Key)) {
		return nil, ErrRefused
	}
	s := &access.Subject{ID: p.ID, Name: p.Name, Role: p.Role, Groups: access.GroupsOf(p.Groups), Since: r.CreatedAt, End: r.ExpiresAt}
	return &Grant{Subject: s, end: r.ExpiresAt, session: key, issuer: p.Issuer, key: string(p.Key)}, nil
}

// until is a subject as long as a session lasts.
func until(s *access.Subject, r *sessions.Record) *access.Subject {
	shown := *s
	shown.End = r.ExpiresAt
	return &shown
}
