package kv

import (
	"fmt"
	"strings"

	"oc-scheduler/store/id"
)

// Key is the key of a value as it stands in the stream: the identifiers that it is made of, each encoded
// as one token, with dots in between.
type Key string

// KeyOf is the key of identifiers. It may be given any text: what no identifier is fails when it is used.
func KeyOf(ids ...string) Key {
	if len(ids) == 1 { // nearly always
		return Key(id.Key(ids[0]))
	}
	tokens := make([]string, len(ids))
	for i, of := range ids {
		tokens[i] = id.Key(of)
	}
	return Key(strings.Join(tokens, "."))
}

// IDs are the identifiers that a key of so many tokens is made of. It fails with id.ErrInvalid.
func (k Key) IDs(tokens int) ([]string, error) {
	ids := make([]string, 0, tokens)
	for token := range strings.SplitSeq(string(k), ".") {
		of, err := id.FromKey(token)
		if err != nil {
			return nil, err
		}
		if ids = append(ids, of); len(ids) > tokens {
			break
		}
	}
	if len(ids) != tokens {
		return nil, fmt.Errorf("%w: a key is made of %d", id.ErrInvalid, tokens)
	}
	return ids, nil
}

// ID is the identifier that a key of one token is made of; "" when it is none.
func (k Key) ID() string {
	of, err := id.FromKey(string(k))
	if err != nil {
		return ""
	}
	return of
}
