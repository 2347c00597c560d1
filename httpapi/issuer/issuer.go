package issuer

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"oc-scheduler/store/access"
)

var (
	// ErrRefused says that a token is not good here, or no longer. It does not say why.
	ErrRefused = errors.New("not a valid token of the issuer")
	// ErrAway says that the issuer could not be asked.
	ErrAway = errors.New("the issuer of tokens is out of reach")
)

const (
	subjectPrefix = "oidc:"
	maxToken      = 16 << 10
)

// Person is somebody whom the issuer has vouched for.
type Person struct {
	Subject *access.Subject
	Issuer  string
	End     time.Time // when that is over; the leeway is in it
	Key     string    // what signed it: see Trusts
}

// Issuer is who vouches for people. It is safe for concurrent use.
type Issuer struct {
	cfg    Config
	roles  map[string]access.Role
	log    *slog.Logger
	now    func() time.Time
	client *http.Client
	told   atomic.Pointer[oidc.Provider] // what it told of itself; nil: nothing yet
	ring   ring
}

// New makes an issuer that is not known yet; now is the clock. The error is what Config.Validate says.
func New(cfg Config, log *slog.Logger, now func() time.Time) (*Issuer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	roles, err := rolesOf(cfg.Roles)
	if err != nil {
		return nil, err
	}
	if cfg.GroupsClaim == "" {
		cfg.GroupsClaim = "groups"
	}
	i := &Issuer{cfg: cfg, roles: roles, log: log.With("component", "issuer"), now: now, client: newClient()}
	i.ring = ring{fetch: i.fetchKeys, now: now}
	return i, nil
}

// OnChange sets what is called when the keys that count have changed. It must not block.
func (i *Issuer) OnChange(f func()) { i.ring.tell(f) }

// Run keeps the keys up to date until ctx ends; then it returns nil.
func (i *Issuer) Run(ctx context.Context) error {
	defer i.client.CloseIdleConnections()
	i.ring.run(ctx)
	return nil
}

// Err is why the issuer does not answer; nil: it did when it was asked last. Keys that are known go on to count.
func (i *Issuer) Err() error {
	_, err := i.ring.get()
	return err
}

// URL is how the issuer names itself.
func (i *Issuer) URL() string { return i.cfg.URL }

// Trusts says whether a key still counts that has signed for a Person: as long as the issuer has not told otherwise.
func (i *Issuer) Trusts(key string) bool { return i.ring.trusts(key) }

// StandsBy is Trusts for what another replica may have seen signed, by a key that is too new to be known here.
func (i *Issuer) StandsBy(ctx context.Context, key string) bool {
	keys, err := i.ring.get()
	if !has(keys, key) && (len(keys) > 0 || err == nil) { // else it was asked, and does not answer
		keys, _ = i.ring.renewed(ctx)
	}
	return len(keys) == 0 || has(keys, key)
}

// Bearer is who shows an access token. It fails with ErrRefused and ErrAway.
func (i *Issuer) Bearer(ctx context.Context, token string) (*Person, error) {
	_, p, err := i.verify(ctx, token, i.cfg.Audience)
	return p, err
}

// verify reads a token for an audience. What can be told without a key is told first, so that nobody is asked for
// what would not be good anyway.
func (i *Issuer) verify(ctx context.Context, token, audience string) (claims, *Person, error) {
	if len(token) > maxToken {
		return nil, nil, ErrRefused
	}
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil || len(signed.Signatures) != 1 {
		return nil, nil, ErrRefused
	}
	c, ok := readClaims(signed.UnsafePayloadWithoutVerification())
	if !ok || !c.meant(i.cfg.URL, audience) || !c.valid(i.now()) {
		return nil, nil, ErrRefused
	}
	p, ok := c.person(i.cfg.GroupsClaim, i.roles)
	if !ok {
		return nil, nil, ErrRefused
	}
	p.Issuer = i.cfg.URL
	p.Key, err = i.signer(ctx, signed)
	return c, p, err
}

// signer is the key that has signed.
func (i *Issuer) signer(ctx context.Context, signed *jose.JSONWebSignature) (string, error) {
	h := signed.Signatures[0].Protected
	by := jose.SignatureAlgorithm(h.Algorithm)
	keys, _ := i.ring.get()
	fit, known := named(keys, h.KeyID, by)
	if print, ok := verifiedBy(signed, fit); ok {
		return print, nil
	}
	if known && h.KeyID != "" {
		return "", ErrRefused
	}
	keys, err := i.ring.renewed(ctx)
	fit, known = named(keys, h.KeyID, by)
	if print, ok := verifiedBy(signed, fit); ok {
		return print, nil
	}
	if err != nil && !known {
		return "", ErrAway
	}
	return "", ErrRefused
}

func verifiedBy(signed *jose.JSONWebSignature, fit []key) (print string, ok bool) {
	for _, k := range fit {
		if _, err := signed.Verify(k.public); err == nil {
			return k.print, true
		}
	}
	return "", false
}
