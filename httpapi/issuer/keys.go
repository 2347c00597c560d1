package issuer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-jose/go-jose/v4"
)

// algorithms are those by which tokens may be signed: a public key checks, and cannot sign.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// key is one by which an issuer signs.
type key struct {
	id     string // as tokens name it
	print  string // of its content
	public any
	signs  []jose.SignatureAlgorithm // by what it may sign; a token does not choose
}

const (
	leastRSA = 256  // bytes of a modulus
	mostRSA  = 1024 // above, each check would cost too much
	mostKeys = 100
)

// readKeys reads a set of keys (RFC 7517). Those that are not for checking signatures are left out; a set without
// any is none.
func readKeys(doc []byte) ([]key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(doc, &set); err != nil {
		return nil, errors.New("what came are no keys")
	}
	var keys []key
	for _, text := range set.Keys[:min(len(set.Keys), mostKeys)] {
		if k, ok := readKey(text); ok {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key to check signatures with")
	}
	return keys, nil
}

func readKey(text []byte) (k key, ok bool) {
	var j jose.JSONWebKey
	if j.UnmarshalJSON(text) != nil || !j.IsPublic() || !j.Valid() || j.Use != "" && j.Use != "sig" {
		return k, false
	}
	print, err := j.Thumbprint(crypto.SHA256)
	k = key{j.KeyID, string(print), j.Key, signsBy(j.Key)}
	if j.Algorithm != "" {
		k.signs = slices.DeleteFunc(slices.Clone(k.signs), func(a jose.SignatureAlgorithm) bool { return string(a) != j.Algorithm })
	}
	return k, err == nil && len(k.signs) > 0
}

// signsBy are the algorithms of a key's type.
func signsBy(public any) []jose.SignatureAlgorithm {
	switch p := public.(type) {
	case *rsa.PublicKey:
		if p.Size() >= leastRSA && p.Size() <= mostRSA {
			return algorithms[:6]
		}
	case *ecdsa.PublicKey:
		switch p.Curve.Params().BitSize {
		case 256:
			return []jose.SignatureAlgorithm{jose.ES256}
		case 384:
			return []jose.SignatureAlgorithm{jose.ES384}
		case 521:
			return []jose.SignatureAlgorithm{jose.ES512}
		}
	case ed25519.PublicKey:
		return []jose.SignatureAlgorithm{jose.EdDSA}
	}
	return nil
}

// named are the keys of an id, or all where a token names none; of these only one may fit. known is false when no
// key has that id.
func named(keys []key, keyID string, by jose.SignatureAlgorithm) (fit []key, known bool) {
	for _, k := range keys {
		if keyID != "" && k.id != keyID {
			continue
		}
		known = true
		if slices.Contains(k.signs, by) {
			fit = append(fit, k)
		}
	}
	if keyID == "" && len(fit) > 1 {
		fit = nil
	}
	return fit, known
}
