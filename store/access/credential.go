package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"strings"
)

// A token is oct_<id>_<secret>, so that programs which look for secrets in what is published can find one. Its
// secret is of base62 digits, of which 33 hold 196 bits.
const (
	credentialPrefix = "oct_"
	secretDigits     = 33
	maxCredentialID  = 64
)

// Credential is a token as its bearer shows it. It is not to be written anywhere but to its bearer.
type Credential struct{ ID, secret string }

// ParseCredential reads a token; ok is false for text that cannot be one.
func ParseCredential(text string) (c Credential, ok bool) {
	rest, ok := strings.CutPrefix(text, credentialPrefix)
	if !ok || len(rest) > maxCredentialID+1+secretDigits {
		return c, false
	}
	c.ID, c.secret, ok = strings.Cut(rest, "_")
	if !ok || c.ID == "" || len(c.secret) != secretDigits || !isBase62(c.ID) || !isBase62(c.secret) {
		return Credential{}, false
	}
	return c, true
}

func isBase62(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// Reveal is the token itself, for its bearer.
func (c Credential) Reveal() string { return credentialPrefix + c.ID + "_" + c.secret }

// String names the token without its secret: what is printed by mistake gives nothing away.
func (c Credential) String() string { return "token:" + c.ID }

// GoString is String.
func (c Credential) GoString() string { return c.String() }

// Digest is what is kept of the secret.
func (c Credential) Digest() Digest { return sha256.Sum256([]byte(c.secret)) }

// Digest is the SHA-256 of a secret that nobody can guess; so nothing slower is needed.
type Digest [sha256.Size]byte

// Is compares in a time that does not depend on where the two differ.
func (d Digest) Is(o Digest) bool { return subtle.ConstantTimeCompare(d[:], o[:]) == 1 }

// MarshalText is the digest in hexadecimal.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads a digest.
func (d *Digest) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(d[:], text[:min(len(text), hex.EncodedLen(len(d)))]); err != nil || n != len(d) || len(text) != hex.EncodedLen(n) {
		return errors.New("no SHA-256 in hexadecimal")
	}
	return nil
}
