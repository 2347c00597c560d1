package client

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client talks to the replicas behind one address.
type Client struct {
	base     *url.URL
	wire     http.RoundTripper
	patience time.Duration
}

// answerWithin bounds how long one answer takes, with all that it waits for.
const answerWithin = time.Minute

// config is what options say.
type config struct {
	token     string
	authority *x509.CertPool
	transport http.RoundTripper
	patience  time.Duration
}

// Option says how a client talks.
type Option func(*config)

// WithToken has a token shown to the server, and to no other host that it may lead to.
func WithToken(token string) Option { return func(c *config) { c.token = token } }

// WithAuthorities has the server's certificate checked against others than the system's authorities.
func WithAuthorities(pool *x509.CertPool) Option { return func(c *config) { c.authority = pool } }

// WithTransport has requests sent by t instead of http.DefaultTransport, which then knows of authorities itself.
func WithTransport(t http.RoundTripper) Option { return func(c *config) { c.transport = t } }

// WithPatience is how long a request is repeated that is not answered well, 15 s by default; 0: it is sent once.
func WithPatience(d time.Duration) Option { return func(c *config) { c.patience = d } }

// New is a client of the server at an address such as http://127.0.0.1:8080. It does not look whether somebody is there.
func New(server string, options ...Option) (*Client, error) {
	base, err := ParseServer(server)
	if err != nil {
		return nil, err
	}
	cfg := config{patience: 15 * time.Second}
	for _, o := range options {
		o(&cfg)
	}
	wire := cmp.Or(cfg.transport, http.DefaultTransport)
	if cfg.authority != nil {
		own, ok := wire.(*http.Transport)
		if !ok || cfg.transport != nil {
			return nil, errors.New("a transport that is given has authorities of its own")
		}
		own = own.Clone()
		own.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.authority}
		wire = own
	}
	return &Client{base: base, wire: bearer{cfg.token, base, wire}, patience: cfg.patience}, nil
}

// CloseIdleConnections closes the connections that are kept for later requests, with their goroutines, as http.Client has it.
func (c *Client) CloseIdleConnections() { (&http.Client{Transport: c.wire}).CloseIdleConnections() }

// ParseServer reads the address of a server; one without a scheme is of http. Its error does not repeat the address: it
// may hold a password, of which in a malformed one anything may be a part.
func ParseServer(address string) (*url.URL, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@") {
		return nil, errors.New("not a URL such as http://127.0.0.1:8080")
	}
	return u, nil
}

// bearer shows a token to one server, and to no other to which that may lead, nor to itself in the clear.
type bearer struct {
	token string
	to    *url.URL
	next  http.RoundTripper
}

// RoundTrip sends a request.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" && r.URL.Host == b.to.Host && r.URL.Scheme == b.to.Scheme {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(r)
}

// CloseIdleConnections has those of the transport closed.
func (b bearer) CloseIdleConnections() { (&http.Client{Transport: b.next}).CloseIdleConnections() }
