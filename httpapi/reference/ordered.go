package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// named is a member of an object.
type named[T any] struct {
	name  string
	value T
}

// ordered are the members of an object as they are written.
type ordered[T any] []named[T]

// UnmarshalJSON reads an object.
func (o *ordered[T]) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return fmt.Errorf("%.40s is no object: %w", data, err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		member := named[T]{name: fmt.Sprint(name)}
		if err := decoder.Decode(&member.value); err != nil {
			return fmt.Errorf("%s: %w", member.name, err)
		}
		*o = append(*o, member)
	}
	return nil
}

// get is the member of a name.
func (o ordered[T]) get(name string) (value T, found bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return value, false
}
