package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/timetext"
)

// ErrNotJSON is wrapped by errors about text that is no JSON value.
var ErrNotJSON = errors.New("not JSON")

// Reader reads one document, and notes what is wrong with it. Its zero value is ready.
type Reader struct {
	Faults fault.List
}

// Document hands each member of the object that data holds to a function; one that is null counts as absent.
// It returns an error that wraps ErrNotJSON for text that is not one JSON value, and otherwise nil: what is
// wrong with the value is in Faults.
func (r *Reader) Document(data []byte, member func(name []byte, value jsontext.Value)) error {
	if !jsontext.Value(data).IsValid() {
		if err := grammar(data); err != nil {
			return err
		}
		r.ambiguous(data)
	}
	value, _ := cut(data)
	r.Object(fault.Root, value, func(name []byte, value jsontext.Value) {
		if value.Kind() != 'n' {
			member(name, value)
		}
	})
	return nil
}

// lenient is the grammar of JSON alone.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// grammar says why data is not one JSON value.
func grammar(data []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(data), lenient...)
	_, err := d.ReadValue()
	if err == nil && !jsontext.Value(data).IsValid(lenient...) {
		err = errors.New("more than one value")
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	return nil
}

// Object hands each member of an object to a function.
func (r *Reader) Object(path string, object jsontext.Value, member func(name []byte, value jsontext.Value)) {
	if object.Kind() != '{' {
		r.Faults.Add(path, "must be an object")
		return
	}
	for rest := object[1:]; ; {
		var name, value jsontext.Value
		if name, rest = cut(rest); len(name) == 0 {
			return
		}
		value, rest = cut(rest)
		member(unquote(name), value)
	}
}

// List hands each element of an array to a function, with its path.
func (r *Reader) List(path string, list jsontext.Value, element func(path string, value jsontext.Value)) {
	if list.Kind() != '[' {
		r.Faults.Add(path, "must be a list")
		return
	}
	rest := list[1:]
	for i := 0; ; i++ {
		var value jsontext.Value
		if value, rest = cut(rest); len(value) == 0 {
			return
		}
		element(fault.Element(path, i), value)
	}
}

// Text is a string; ok is false for what is none.
func (r *Reader) Text(path string, value jsontext.Value) (text string, ok bool) {
	if value.Kind() != '"' {
		r.Faults.Add(path, "must be a string")
		return "", false
	}
	return string(unquote(value)), true
}

// Bool is true or false.
func (r *Reader) Bool(path string, value jsontext.Value) bool {
	if k := value.Kind(); k != 't' && k != 'f' {
		r.Faults.Add(path, "must be true or false")
	}
	return value.Kind() == 't'
}

// Seconds is a number of seconds; ok is false for what is none.
func (r *Reader) Seconds(path string, value jsontext.Value) (length time.Duration, ok bool) {
	length, err := timetext.Seconds(string(value))
	if err != nil {
		r.Faults.Add(path, "must be a number of seconds")
	}
	return length, err == nil
}

// longestName is how much of an unknown member's name is repeated, in bytes.
const longestName = 64

// Unknown notes a member that nobody reads: a misspelt one must not quietly mean that there is none.
func (r *Reader) Unknown(path string, name []byte) {
	if len(name) > longestName {
		name = append(bytes.ToValidUTF8(name[:longestName], nil), "…"...)
	}
	r.Faults.Add(fault.Member(path, string(name)), "unknown member")
}
