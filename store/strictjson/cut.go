package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// cut takes the first value off a piece of valid JSON, with the white space, comma or colon before it.
// The value is empty at the end of an object or array.
func cut(text []byte) (value jsontext.Value, rest []byte) {
	for len(text) > 0 && separates(text[0]) {
		text = text[1:]
	}
	end := extent(text)
	return text[:end], text[end:]
}

// extent is the length of the value that valid JSON begins with.
func extent(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = closing(text, i); depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // of what the value stands in
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		default:
			if depth == 0 && separates(text[i]) {
				return i
			}
		}
	}
	return len(text)
}

// separates tells what stands between values.
func separates(c byte) bool {
	return c == ',' || c == ':' || c == ' ' || c == '\t' || c == '\r' || c == '\n'
}

// closing finds the quote that ends the string which begins at a place.
func closing(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at
}

// unquote is what a valid JSON string says.
func unquote(quoted jsontext.Value) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}
