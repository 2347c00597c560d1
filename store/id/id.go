// Package id holds the one rule for identifiers (of peers, workflows, items, resources, replicas)
// and their one-to-one encoding as bucket keys and subject tokens. It is pure.
package id

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// MaxBytes is the longest identifier that is accepted, in bytes.
const MaxBytes = 128

// ErrInvalid is wrapped by every error of this package.
var ErrInvalid = errors.New("invalid id")

// Check reports why s cannot be an identifier: it is empty, longer than MaxBytes, not UTF-8, "." or "..",
// or holds a control character. The error wraps ErrInvalid and never repeats s, which may be hostile.
func Check(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%w: empty", ErrInvalid)
	case s == ".", s == "..": // whatever walks a path, of a URL or of files, eats them
		return fmt.Errorf("%w: a path's own name", ErrInvalid)
	case len(s) > MaxBytes:
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrInvalid, len(s), MaxBytes)
	case !utf8.ValidString(s):
		return fmt.Errorf("%w: not UTF-8", ErrInvalid)
	}
	for i, r := range s {
		if unicode.IsControl(r) {
			return fmt.Errorf("%w: control character %U at byte %d", ErrInvalid, r, i)
		}
	}
	return nil
}
