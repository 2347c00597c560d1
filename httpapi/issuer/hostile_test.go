package issuer_test

import (
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"oc-scheduler/httpapi/issuer"
	"oc-scheduler/internal/issuertest"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// known is an issuer as we know it, which has told its keys.
func known(t *testing.T, real *issuertest.Issuer, now func() time.Time) *issuer.Issuer {
	t.Helper()
	i, err := issuer.New(issuer.Config{
		URL: real.URL, Audience: issuertest.Audience, Roles: []string{"g=user", "boss=admin", "a=b=viewer"},
		ClientID: issuertest.Client, ClientSecret: issuertest.Secret,
	}, slog.New(slog.DiscardHandler), now)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, i.Run)
	natstest.Eventually(t, "the keys are known", func() bool { return real.Fetches() > 0 && i.Err() == nil && trusts(t, real, i) })
	return i
}

func trusts(t *testing.T, real *issuertest.Issuer, i *issuer.Issuer) bool {
	t.Helper()
	_, err := i.Bearer(t.Context(), real.Token(t, nil))
	return err == nil
}

func TestAGoodTokenIsAPerson(t *testing.T) {
	t.Parallel()
	real := issuertest.Start(t)
	i := known(t, real, time.Now)
	p, err := i.Bearer(t.Context(), real.Token(t, map[string]any{"name": "Ann", "groups": []any{"g", "z", 7, "", "g"}, "aud": []string{"other", issuertest.Audience}, "exp": float64(time.Now().Unix()) + 100.5}))
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Subject; s.ID != "oidc:ann" || s.Name != "Ann" || s.Role != access.User || fmt.Sprint(s.Groups) != "[g z]" || p.End.Sub(s.End) != 30*time.Second || !i.Trusts(p.Key) {
		t.Errorf("the person is %+v until %v", s, p.End)
	}
	for _, c := range []struct {
		claims map[string]any
		role   access.Role
	}{
		{map[string]any{"groups": nil}, access.Nobody},
		{map[string]any{"groups": "g"}, access.User},
		{map[string]any{"groups": []string{"x"}, "roles": []string{"boss", "g"}}, access.Admin},
		{map[string]any{"groups": []string{"a=b"}}, access.Viewer},
		{map[string]any{"groups": map[string]any{"g": true}}, access.Nobody},
	} {
		if p, err := i.Bearer(t.Context(), real.Token(t, c.claims)); err != nil || p.Subject.Role != c.role {
			t.Errorf("%v: %+v, %v", c.claims, p, err)
		}
	}
}

// TestWhatIsNotGood is refused, and costs the issuer nothing.
func TestWhatIsNotGood(t *testing.T) {
	t.Parallel()
	real := issuertest.Start(t)
	first := issuertest.RSA(t, "rsa")
	p384 := issuertest.EC(t, "p384", elliptic.P384(), jose.ES384)
	fixed := first.Public()
	fixed.KeyID, fixed.Algorithm = "fixed", string(jose.RS256)
	secret := issuertest.RSA(t, "enc")
	enc := secret.Public()
	enc.Use = "enc"
	real.PublishRaw(real.Key.Public(), first.Public(), p384.Public(), fixed, enc)
	i := known(t, real, time.Now)
	claims := real.Claims(nil)
	public := first.Private.(*rsa.PrivateKey).PublicKey
	der, err := x509.MarshalPKIXPublicKey(&public)
	if err != nil {
		t.Fatal(err)
	}
	jwk, err := json.Marshal(first.Public())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	good := real.Token(t, nil)
	parts := strings.Split(good, ".")
	stranger := issuertest.RSA(t, "rsa")
	as := func(k issuertest.Key, id string, by jose.SignatureAlgorithm) issuertest.Key {
		k.ID, k.By = id, by
		return k
	}
	now := time.Now().Unix()
	bad := map[string]string{
		"nothing": "", "dots": "..", "no signature": parts[0] + "." + parts[1] + ".", "two parts": parts[0] + "." + parts[1], "JSON": `{"payload":"","signatures":[]}`,
		"white space": parts[0] + ". " + parts[1] + "." + parts[2], "another's claims": parts[0] + "." + coded(`{"iss":"x"}`) + "." + parts[2],
		"HS256 with the PEM":               symmetric(t, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), doc),
		"HS256 with the DER":               symmetric(t, der, doc),
		"HS256 with the JWK":               symmetric(t, jwk, doc),
		"another's key":                    stranger.Sign(t, claims),
		"RS256 with the id of an EC key":   as(first, "first", jose.RS256).Sign(t, claims),
		"PS256 with a key for RS256":       as(first, "fixed", jose.PS256).Sign(t, claims),
		"a key for encryption":             as(secret, "rsa", jose.RS256).Sign(t, claims),
		"a key elsewhere":                  stranger.Sign(t, claims, "jku"),
		"a critical header":                real.Key.Sign(t, claims, "crit"),
		"no id, and several fit":           as(first, "", jose.RS256).Sign(t, claims),
		"ES256 with the id of a P-384 key": as(real.Key, "p384", jose.ES256).Sign(t, claims),
		"huge":                             real.Token(t, map[string]any{"x": strings.Repeat("a", 16<<10)}),
		"another issuer":                   real.Token(t, map[string]any{"iss": real.URL + "/"}),
		"another audience":                 real.Token(t, map[string]any{"aud": issuertest.Client}),
		"no audience":                      real.Token(t, map[string]any{"aud": nil}),
		"an odd audience":                  real.Token(t, map[string]any{"aud": map[string]any{issuertest.Audience: 1}}),
		"no end":                           real.Token(t, map[string]any{"exp": nil}),
		"over":                             real.Token(t, map[string]any{"exp": now - 40}),
		"an end that is text":              real.Token(t, map[string]any{"exp": fmt.Sprint(now + 100)}),
		"an end beyond":                    real.Token(t, map[string]any{"exp": 1e300}),
		"an end before":                    real.Token(t, map[string]any{"exp": -1}),
		"not begun":                        real.Token(t, map[string]any{"nbf": now + 45}),
		"a beginning that is text":         real.Token(t, map[string]any{"nbf": "now"}),
		"made in the future":               real.Token(t, map[string]any{"iat": now + 45}),
		"nobody":                           real.Token(t, map[string]any{"sub": nil}),
		"nobody's name":                    real.Token(t, map[string]any{"sub": ""}),
		"a number":                         real.Token(t, map[string]any{"sub": 7}),
		"a line":                           real.Token(t, map[string]any{"sub": "a\nb"}),
		"a long name":                      real.Token(t, map[string]any{"sub": strings.Repeat("a", 256)}),
		"two audiences":                    real.Key.Sign(t, []byte(strings.TrimSuffix(string(doc), "}")+`,"aud":"`+issuertest.Audience+`"}`)),
		"a list":                           real.Key.Sign(t, []byte(`[]`)),
		"null":                             real.Key.Sign(t, []byte(`null`)),
		"no JSON":                          real.Key.Sign(t, []byte(`{`)),
	}
	for _, none := range []string{"none", "None", "NONE", ""} {
		bad["alg "+none] = coded(`{"alg":"`+none+`","typ":"JWT"}`) + "." + parts[1] + "."
	}
	for _, path := range []string{"../../keys", "/dev/null", "http://evil.example/", "a'--", strings.Repeat("k", 8<<10)} {
		bad["kid "+path[:3]] = as(stranger, path, jose.RS256).Sign(t, claims)
	}
	fetches := real.Fetches()
	for name, token := range bad {
		if p, err := i.Bearer(t.Context(), token); !errors.Is(err, issuer.ErrRefused) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if more := real.Fetches() - fetches; more > 3 { // of unknown ids, on a slow machine
		t.Errorf("keys were asked for %d times", more)
	}
	for name, token := range map[string]string{
		"good": good, "RSA": first.Sign(t, claims), "P-384": p384.Sign(t, claims), "fixed": as(first, "fixed", jose.RS256).Sign(t, claims),
		"within the leeway": real.Token(t, map[string]any{"exp": now - 15, "nbf": now + 15, "iat": now + 15}), "no id, and one fits": as(p384, "", jose.ES384).Sign(t, claims),
	} {
		if _, err := i.Bearer(t.Context(), token); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func coded(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// symmetric signs with a public key as if that were a secret.
func symmetric(t *testing.T, secret, doc []byte) string {
	t.Helper()
	return issuertest.Key{ID: "rsa", By: jose.HS256, Private: secret}.Sign(t, doc)
}
