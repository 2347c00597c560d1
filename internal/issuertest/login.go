package issuertest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"

	"github.com/go-jose/go-jose/v4"
)

// logIn is one that is under way.
type logIn struct{ back, challenge, nonce string }

// LogsIn says who logs in from now on, by claims that replace those of Claims.
func (i *Issuer) LogsIn(person map[string]any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.person = person
}

// authorize asks nobody: whoever comes is the person.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != Client || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "not such a client", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.mu.Lock()
	i.logIns[code] = logIn{q.Get("redirect_uri"), q.Get("code_challenge"), q.Get("nonce")}
	i.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	of, is := i.logIns[r.FormValue("code")]
	delete(i.logIns, r.FormValue("code"))
	person := i.person
	i.mu.Unlock()
	id, secret, basic := r.BasicAuth()
	secret, err := url.QueryUnescape(secret)
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case !is || !basic || err != nil || id != Client || secret != Secret, r.FormValue("redirect_uri") != of.back,
		base64.RawURLEncoding.EncodeToString(sum[:]) != of.challenge:
		w.WriteHeader(http.StatusBadRequest)
		write(w, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := i.Claims(map[string]any{"aud": Client, "nonce": of.nonce})
	maps.Copy(claims, person)
	payload, err := json.Marshal(claims)
	if err != nil {
		panic(err) // of what a test has written
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: i.Key.By, Key: i.Key.Private}, (&jose.SignerOptions{}).WithHeader("kid", i.Key.ID))
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		panic(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	write(w, map[string]any{"access_token": "opaque", "token_type": "Bearer", "expires_in": 3600, "id_token": text})
}
