package auth

import (
	"context"
	"time"

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
}

// Session is the key of the session that shows the grant; "": it was shown otherwise.
func (g *Grant) Session() string { return g.session }

func (g *Grant) ended(at time.Time) bool { return !g.end.IsZero() && !at.Before(g.end) }

// own names what grants share that end at the same time.
func (g *Grant) own() string {
	if g.session != "" {
		return sessionRoot(g.session)
	}
	return g.Subject.ID
}

// roots name all that a grant may end with, its own first.
func (g *Grant) roots() []string {
	if g.session != "" && g.token != nil {
		return []string{g.own(), g.token.ID}
	}
	return []string{g.own()}
}

// Ground is what a session of the grant's subject rests on, and when that ends; zero: never.
func (g *Grant) Ground() (r sessions.Record, end time.Time) {
	r.Token = &sessions.Token{ID: tokens.TokenID(g.token.ID), CreatedAt: g.token.Since}
	return r, g.end
}

func sessionRoot(key string) string { return "session:" + key }

// ofToken is what the bearer of a token may do.
func ofToken(r *tokens.Record) *Grant {
	return &Grant{Subject: r.Subject(), end: r.Subject().End, token: r.Subject()}
}

// bySession is what a session shows. It fails with ErrRefused when that has ended.
func (k *Known) bySession(ctx context.Context, key string, now time.Time) (*Grant, error) {
	r, err := look(ctx, k.Sessions, k.FreshSession, key)
	if err != nil || r.Ended(now) {
		return nil, ErrRefused
	}
	if r.Person != nil {
		return nil, ErrRefused
	}
	token, err := look(ctx, k.Tokens, k.FreshToken, r.Token.ID)
	if err != nil || !token.CreatedAt.Equal(r.Token.CreatedAt) || token.Subject().Ended(now) {
		return nil, ErrRefused
	}
	return &Grant{Subject: until(token.Subject(), r), end: r.ExpiresAt, session: key, token: token.Subject()}, nil
}

// until is a subject as long as a session lasts.
func until(s *access.Subject, r *sessions.Record) *access.Subject {
	shown := *s
	shown.End = r.ExpiresAt
	return &shown
}
