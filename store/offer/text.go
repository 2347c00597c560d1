package offer

import "github.com/go-json-experiment/json/jsontext"

// compact is a JSON value without white space.
func compact(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Compact() // it was read: it is one
	return string(v)
}

// unquoted is what a JSON string says; of null, nothing.
func unquoted(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text)
}

// appendText appends a text as a JSON string.
func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // an error only says that bytes were not UTF-8; they are replaced
	return b
}

// quoted is how many bytes a text takes as a JSON string.
func quoted(text string) int {
	var room [256]byte
	return len(appendText(room[:0], text))
}

// appendSlot appends a slot of an instance to others, or to none.
func appendSlot(b []byte, instance, members string) []byte {
	b = append(comma(b), `{"instance_id":`...)
	b = append(appendText(b, instance), ',')
	return append(append(b, members...), '}')
}

// comma appends one after a value or member.
func comma(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	switch b[len(b)-1] {
	case '{', '[':
		return b
	}
	return append(b, ',')
}
