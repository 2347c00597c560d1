package planner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
)

// addFault notes a fault of the value that d read last; base is the path of the value that began at
// the depth given. Paths are made when there is a fault to list, never before.
func addFault(faults *fault.List, d *jsontext.Decoder, base string, depth int, format string, args ...any) {
	path := base
	if len(*faults) < fault.MaxListed {
		path = pathBelow(d, base, depth)
	}
	faults.Add(path, format, args...)
}

func pathBelow(d *jsontext.Decoder, base string, depth int) string {
	tokens := slices.Collect(d.StackPointer().Tokens())
	for i := depth; i < len(tokens); i++ {
		if kind, length := d.StackIndex(i + 1); kind == '[' {
			base = fault.Element(base, int(length)-1)
		} else {
			base = fault.Member(base, shorten(tokens[i]))
		}
	}
	return base
}

// readName reads the name of a member. The result is valid until buffer is used again: the decoder
// parses the bytes of its bytes.Buffer in place, and they stay.
func readName(d *jsontext.Decoder, buffer *[]byte) ([]byte, error) {
	quoted, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	return unquote(quoted, buffer)
}

// unquote is what a JSON string says; buffer serves when there is something to replace.
func unquote(quoted []byte, buffer *[]byte) (text []byte, err error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1], nil
	}
	*buffer, err = jsontext.AppendUnquote((*buffer)[:0], quoted)
	return *buffer, err
}

// atEnd fails when more than whitespace follows.
func atEnd(d *jsontext.Decoder) error {
	switch _, err := d.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errors.New("more than one JSON value")
}

// syntax words an error of the decoder for people who never heard of it.
func syntax(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "the JSON text ends too early"
	}
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Sprintf("member %q is there twice", shorten(s.JSONPointer.LastToken()))
	}
	return "not valid JSON: " + strings.TrimPrefix(err.Error(), "jsontext: ")
}

// kindName names a JSON kind in messages.
func kindName(k jsontext.Kind) string {
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

// shorten keeps hostile input out of messages: the first 40 bytes are enough to recognise it.
func shorten(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
