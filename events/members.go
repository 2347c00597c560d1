package events

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"oc-scheduler/store/walkjson"

	"github.com/go-json-experiment/json/jsontext"
)

var errNotObject = errors.New("not a JSON object")

// object is one JSON object being read.
type object struct {
	*jsontext.Decoder
	data []byte
}

// readObject calls member with each name of the JSON object in data, to read its value.
func readObject(data []byte, member func(o object, name string) error) error {
	o := object{jsontext.NewDecoder(bytes.NewBuffer(data)), data}
	if o.PeekKind() != '{' {
		return errNotObject
	}
	var unquoted []byte
	if err := walkjson.Object(o.Decoder, &unquoted, func(name []byte) error { return member(o, string(name)) }); err != nil {
		return err
	}
	return walkjson.End(o.Decoder)
}

// text reads a string; null reads as "".
func (o object) text(name string) (string, error) {
	token, err := o.ReadToken()
	switch {
	case err != nil:
		return "", err
	case token.Kind() == 'n':
		return "", nil
	case token.Kind() != '"':
		return "", fmt.Errorf("%s is no string", name)
	}
	return token.String(), nil
}

// lenientText is text for members that may have any type: what is no string reads as "".
func (o object) lenientText() (string, error) {
	if kind := o.PeekKind(); kind != '"' {
		return "", o.SkipValue()
	}
	return o.text("")
}

// value is the next value as it stands in the data, without copying.
func (o object) value() ([]byte, error) {
	v, err := o.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(o.InputOffset())
	return o.data[end-len(v) : end], nil
}

// payload reads JSON that is either base64 in a string, as Go writes []byte, or stands there plainly.
// A string that is no base64 stands for itself; null is nil.
func (o object) payload() ([]byte, error) {
	v, err := o.value()
	switch {
	case err != nil || v[0] == 'n':
		return nil, err
	case v[0] != '"':
		return v, nil
	}
	encoded := v[1 : len(v)-1]
	if bytes.IndexByte(encoded, '\\') >= 0 { // some encoders escape the slash
		if encoded, err = jsontext.AppendUnquote(nil, v); err != nil {
			return nil, err
		}
	}
	decoded := make([]byte, base64.StdEncoding.DecodedLen(len(encoded)))
	n, err := base64.StdEncoding.Decode(decoded, encoded)
	if err != nil {
		return v, nil
	}
	return decoded[:n], nil
}

// texts reads an array of strings; anything else in it or instead of it is left out.
func (o object) texts() ([]string, error) {
	if o.PeekKind() != '[' {
		return nil, o.SkipValue()
	}
	var list []string
	err := walkjson.List(o.Decoder, func() error {
		isText := o.PeekKind() == '"'
		s, err := o.lenientText()
		if isText {
			list = append(list, s)
		}
		return err
	})
	return list, err
}
