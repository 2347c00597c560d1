// Package issuertest is an issuer of OpenID Connect for tests: it tells of itself and its keys, signs what it is
// told to, and lets people log in by code with PKCE. It also does what an issuer should not.
package issuertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Audience is for whom its access tokens are made, and Client as whom people log in, with Secret.
const (
	Audience = "oc-scheduler"
	Client   = "oc-page"
	Secret   = "secret of the client"
)

// Issuer is the issuer.
type Issuer struct {
	URL string
	Key Key // by which it signs; published at the start

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	answer  http.HandlerFunc // instead of the keys; nil: none
	fetches int
	logIns  map[string]logIn // by code
	person  map[string]any   // who logs in
}

// Key is one that signs.
type Key struct {
	ID      string
	By      jose.SignatureAlgorithm
	Private any
}

// RSA makes a key that signs by RS256.
func RSA(t testing.TB, id string) Key {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return Key{id, jose.RS256, private}
}

// EC makes a key of a curve.
func EC(t testing.TB, id string, curve elliptic.Curve, by jose.SignatureAlgorithm) Key {
	t.Helper()
	private, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return Key{id, by, private}
}

// Public is the key as it is published.
func (k Key) Public() jose.JSONWebKey {
	return (&jose.JSONWebKey{Key: k.Private, KeyID: k.ID, Use: "sig"}).Public()
}

// Start begins an issuer that ends with the test.
func Start(t testing.TB) *Issuer {
	t.Helper()
	i := &Issuer{Key: EC(t, "first", elliptic.P256(), jose.ES256), logIns: map[string]logIn{}}
	i.keys = []jose.JSONWebKey{i.Key.Public()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.tell)
	mux.HandleFunc("GET /keys", i.tellKeys)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

func (i *Issuer) tell(w http.ResponseWriter, _ *http.Request) {
	write(w, map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
	})
}

func (i *Issuer) tellKeys(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	i.fetches++
	answer, keys := i.answer, i.keys
	i.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	write(w, jose.JSONWebKeySet{Keys: keys})
}

func write(w http.ResponseWriter, doc any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(doc) // who has gone reads no error
}

// Publish replaces the keys that are told.
func (i *Issuer) Publish(keys ...Key) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = nil
	for _, k := range keys {
		i.keys = append(i.keys, k.Public())
	}
}

// PublishRaw replaces the keys that are told by some as they are.
func (i *Issuer) PublishRaw(keys ...jose.JSONWebKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

// Answer has something else told than the keys; nil: the keys again.
func (i *Issuer) Answer(f http.HandlerFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answer = f
}

// Fetches is how often its keys were asked for.
func (i *Issuer) Fetches() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fetches
}

// Claims are those of a good access token, with some replaced; nil takes one out.
func (i *Issuer) Claims(other map[string]any) map[string]any {
	now := time.Now()
	claims := map[string]any{"iss": i.URL, "aud": Audience, "sub": "ann", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "groups": []string{"g"}}
	maps.Copy(claims, other)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return claims
}

// Token is a token with such claims.
func (i *Issuer) Token(t testing.TB, other map[string]any) string {
	t.Helper()
	return i.Key.Sign(t, i.Claims(other))
}

// Sign signs a document, or the bytes of one, with headers besides those of the key.
func (k Key) Sign(t testing.TB, doc any, header ...jose.HeaderKey) string {
	t.Helper()
	payload, raw := doc.([]byte)
	if !raw {
		var err error
		if payload, err = json.Marshal(doc); err != nil {
			t.Fatal(err)
		}
	}
	options := (&jose.SignerOptions{}).WithType("JWT")
	if k.ID != "" {
		options = options.WithHeader("kid", k.ID)
	}
	for _, name := range header {
		options = options.WithHeader(name, "https://evil.example/keys")
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: k.By, Key: k.Private}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
