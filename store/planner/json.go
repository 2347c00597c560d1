package planner

import (
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

// shorten keeps hostile input out of messages: the first 40 bytes are enough to recognise it.
func shorten(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
