// Package walkjson walks through JSON of any kind with jsontext, from value to value: who is handed a member
// or an element reads its value. It is pure.
package walkjson

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Object reads an object, which is next, and hands over the name of each member. A name is valid until the
// next one is read with the same buffer, of a decoder that reads from a bytes.Buffer.
func Object(d *jsontext.Decoder, buffer *[]byte, member func(name []byte) error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		quoted, err := d.ReadValue()
		if err != nil {
			return err
		}
		name, err := Unquote(quoted, buffer)
		if err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// List reads an array, which is next, and calls element before each element.
func List(d *jsontext.Decoder, element func() error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// ErrMore is of text that goes on behind the value that it should be.
var ErrMore = errors.New("more than one JSON value")

// End fails with ErrMore, or for what is no JSON, when more than white space follows.
func End(d *jsontext.Decoder) error {
	switch _, err := d.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return ErrMore
}

// Unquote is what a JSON string says; the buffer serves where there is something to replace.
func Unquote(quoted []byte, buffer *[]byte) (text []byte, err error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	*buffer, err = jsontext.AppendUnquote((*buffer)[:0], quoted)
	return *buffer, err
}

// KindName names a kind in messages.
func KindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "broken JSON"
}
