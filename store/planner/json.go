package planner

import (
	"unique"

	"github.com/go-json-experiment/json/jsontext"
)

// intern shares one copy of names that thousands of planners repeat.
func intern(s string) string { return unique.Make(s).Value() }

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
		return s[:40] + "…"
	}
	return s
}
