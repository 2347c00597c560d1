package id

import (
	"crypto/sha256"
	"encoding/hex"
)

// MaxFileName is how long the name of a file may be, in bytes (NAME_MAX).
const MaxFileName = 255

// Name is the identifier's key as a name of at most that many bytes, 64 or more: where the key is longer, its
// beginning and a hash. Each identifier has its own: no key holds the "~" between them.
func Name(id string, most int) string {
	key := Key(id)
	if len(key) <= most {
		return key
	}
	sum := sha256.Sum256([]byte(id))
	hash := hex.EncodeToString(sum[:min(len(sum), most/4)])
	return key[:min(most-len(hash)-1, 100)] + "~" + hash
}
