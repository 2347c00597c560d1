package kv

import (
	"encoding/json"
	"fmt"
)

// Decode reads the value of a key; it may keep the data of m, which nobody changes. An error says that the
// value is broken, and counts as no value.
type Decode[T any] func(key Key, m Message) (T, error)

// By decodes values by what reads their data; check, which may be nil, finds what is wrong with one beyond that.
func By[T any](read func([]byte) (T, error), check func(Key, T) error) Decode[T] {
	return func(key Key, m Message) (T, error) {
		value, err := read(m.Data)
		if err == nil && check != nil {
			err = check(key, value)
		}
		if err != nil {
			var none T
			return none, fmt.Errorf("%w: %w", ErrUndecodable, err)
		}
		return value, nil
	}
}

// JSON decodes values of a type that JSON is made for, as By does.
func JSON[T any](check func(Key, T) error) Decode[T] {
	return By(func(data []byte) (value T, err error) {
		err = json.Unmarshal(data, &value)
		return value, err
	}, check)
}

// decoded reads a value. Whatever is wrong with it, a decoder's own fault included, makes that one value
// broken and nothing else.
func decoded[T any](space Space, key Key, m Message, decode Decode[T]) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			var none T
			value, err = none, fmt.Errorf("%w: panic: %v", ErrUndecodable, p)
		}
	}()
	if _, err := key.IDs(space.Tokens); err != nil {
		return value, fmt.Errorf("key: %w", err)
	}
	if value, err = decode(key, m); err != nil {
		var none T
		return none, err
	}
	return value, nil
}
