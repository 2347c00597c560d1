package workflow

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/store/walkjson"
)

// fault notes what is wrong with the value that was read last.
func (r *reader) fault(format string, args ...any) {
	r.faults.Add(r.path(), format, args...)
}

// path is the place of the value (or member name) that was read last. It is only worked out for
// faults, so a good document pays nothing for it.
func (r *reader) path() string { return fault.PathIn(r.d, r.d.StackPointer()) }

// object reads an object and calls member with each name, to read its value.
func (r *reader) object(member func(name string) error) (isObject bool, err error) {
	if kind := r.d.PeekKind(); kind != '{' {
		return false, r.refuse("an object", kind)
	}
	return true, walkjson.Object(r.d, &r.unquoted, func(name []byte) error { return member(string(name)) })
}

// optionalObject is object, but null reads as an empty object.
func (r *reader) optionalObject(member func(name string) error) (isObject bool, err error) {
	if r.d.PeekKind() == 'n' {
		return true, r.d.SkipValue()
	}
	return r.object(member)
}

// array calls element to read each value of an array.
func (r *reader) array(element func() error) (isArray bool, err error) {
	if kind := r.d.PeekKind(); kind != '[' {
		return false, r.refuse("an array", kind)
	}
	return true, walkjson.List(r.d, element)
}

// optionalArray is array, but null reads as an empty array.
func (r *reader) optionalArray(element func() error) error {
	if r.d.PeekKind() == 'n' {
		return r.d.SkipValue()
	}
	_, err := r.array(element)
	return err
}

// text reads a string; null is none.
func (r *reader) text() (s string, given bool, err error) {
	switch kind := r.d.PeekKind(); kind {
	case 'n':
		return "", false, r.d.SkipValue()
	case '"':
		token, err := r.d.ReadToken()
		if err != nil {
			return "", true, err
		}
		return token.String(), true, nil
	default:
		return "", true, r.refuse("a string", kind)
	}
}

// identifier reads an id; null is none. A bad one is a fault and reads as "".
func (r *reader) identifier() (s string, given bool, err error) {
	before := len(r.faults)
	s, given, err = r.text()
	if err != nil || !given || len(r.faults) > before {
		return "", given, err
	}
	if err := id.Check(s); err != nil {
		r.fault("%v", err)
		return "", true, nil
	}
	return s, true, nil
}

// refuse skips a value that should have been something else.
func (r *reader) refuse(want string, got jsontext.Kind) error {
	if err := r.d.SkipValue(); err != nil {
		return err
	}
	r.fault("must be %s, not %s", want, walkjson.KindName(got))
	return nil
}

// syntaxFault finds again, with its place, why data is no JSON text.
func syntaxFault(data []byte) (path, format string, cause any) {
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		_, err := d.ReadToken()
		if err == nil {
			continue
		}
		var syntax *jsontext.SyntacticError
		if !errors.As(err, &syntax) {
			return fault.Root, "broken JSON: %v", err // an end too early, at the very start
		}
		return fault.PathIn(d, syntax.JSONPointer), "broken JSON: %v", syntax.Err
	}
}
