package access

import (
	"crypto/rand"
	"math/big"
)

const (
	base62   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	idDigits = 12 // of a token: 71 bits, so that two are never alike
)

// Mint makes a token of a new id.
func Mint() Credential { return MintAs(digits(idDigits)) }

// MintAs makes a token of a given id, of base62 digits.
func MintAs(tokenID string) Credential { return Credential{tokenID, digits(secretDigits)} }

// digits are so many of base62, each as likely as any other.
func digits(n int) string {
	text := make([]byte, n)
	for i := range text {
		digit, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil { // the system has no random numbers: crypto/rand itself ends the program before
			panic(err)
		}
		text[i] = base62[digit.Int64()]
	}
	return string(text)
}
