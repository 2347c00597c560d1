package id

import (
	"fmt"
	"strings"
)

const hexDigits = "0123456789ABCDEF"

// Key writes an identifier as one token of a NATS subject or bucket key: bytes outside
// A-Z a-z 0-9 - _ become =XX (upper-case hex), so every identifier has exactly one key.
func Key(id string) string {
	if !needsEscape(id) {
		return id
	}
	var b strings.Builder
	b.Grow(len(id) + 8)
	for i := range len(id) {
		if c := id[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'=', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return b.String()
}

// FromKey reads the identifier that Key wrote. It fails, wrapping ErrInvalid, for a key that Key
// would not write (lower-case hex, an escaped plain byte) and for one that is no valid identifier.
func FromKey(key string) (string, error) {
	id, err := unescape(key)
	if err != nil {
		return "", err
	}
	if Key(id) != key {
		return "", fmt.Errorf("%w: key is not in canonical form", ErrInvalid)
	}
	return id, Check(id)
}

func unescape(key string) (string, error) {
	if !strings.Contains(key, "=") {
		return key, nil
	}
	b := make([]byte, 0, len(key))
	for i := 0; i < len(key); i++ {
		if key[i] != '=' {
			b = append(b, key[i])
			continue
		}
		if i+2 >= len(key) {
			return "", fmt.Errorf("%w: key ends inside an escape", ErrInvalid)
		}
		hi, lo := strings.IndexByte(hexDigits, key[i+1]), strings.IndexByte(hexDigits, key[i+2])
		if hi < 0 || lo < 0 {
			return "", fmt.Errorf("%w: bad escape in key at byte %d", ErrInvalid, i)
		}
		b = append(b, byte(hi<<4|lo))
		i += 2
	}
	return string(b), nil
}

func needsEscape(s string) bool {
	for i := range len(s) {
		if !plain(s[i]) {
			return true
		}
	}
	return false
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
