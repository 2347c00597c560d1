package issuer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
)

const (
	maxAnswer    = 1 << 20
	maxRedirects = 3
)

// newClient asks an issuer. What it answers is bounded, and so is where that leads.
func newClient() *http.Client {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxResponseHeaderBytes = 64 << 10
	return &http.Client{
		Timeout: askWithin, Transport: bounded{base},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) >= maxRedirects || !isTrustworthy(r.URL) {
				return errors.New("it leads elsewhere")
			}
			return nil
		},
	}
}

// bounded cuts answers that are too long.
type bounded struct{ *http.Transport }

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.Transport.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, maxAnswer), response.Body}
	}
	return response, err
}

// provider is what the issuer tells of itself. It is asked until it has answered.
func (i *Issuer) provider(ctx context.Context) (*oidc.Provider, error) {
	if p := i.told.Load(); p != nil {
		return p, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, i.client), i.cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("what it tells of itself: %w", plain(err))
	}
	i.told.Store(p)
	return p, nil
}

// fetchKeys asks for the keys.
func (i *Issuer) fetchKeys(ctx context.Context) (keys []key, err error) {
	defer func() {
		if err != nil {
			i.told.Store(nil) // the keys may have moved
		}
		if before := i.Err(); err != nil && (before == nil || before.Error() != err.Error()) {
			i.log.WarnContext(ctx, "the issuer does not tell its keys; those that are known go on to count", "error", err)
		}
	}()
	p, err := i.provider(ctx)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Keys string `json:"jwks_uri"`
	}
	if err := p.Claims(&doc); err != nil {
		return nil, err
	}
	at, err := url.Parse(doc.Keys)
	if err != nil || !isTrustworthy(at) {
		return nil, errors.New("its keys are not where nobody else can answer")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, doc.Keys, nil)
	if err != nil {
		return nil, err
	}
	response, err := i.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", plain(err))
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("keys: the answer is %s", response.Status)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return readKeys(body)
}

// plain is an error of a request, without the address, which tells nothing new and may be long.
func plain(err error) error {
	if failed, is := errors.AsType[*url.Error](err); is {
		return failed.Err
	}
	return err
}
