package fault

import "github.com/go-json-experiment/json/jsontext"

// maxDepth and maxName bound paths into documents that are deep, or have long names, for the sake of it: the
// path then names what encloses the place.
const (
	maxDepth = 16
	maxName  = 128
)

// PathIn writes a JSON pointer (RFC 6901) into the document that d reads as a JSONPath (RFC 9535). d knows
// which of the pointer's tokens are indices.
func PathIn(d *jsontext.Decoder, pointer jsontext.Pointer) string {
	path, depth := Root, 0
	for token := range pointer.Tokens() {
		if depth++; depth > maxDepth || len(token) > maxName {
			break
		}
		kind := jsontext.Kind('{')
		if depth <= d.StackDepth() {
			kind, _ = d.StackIndex(depth)
		}
		if kind == '[' {
			path += "[" + token + "]"
		} else {
			path = Member(path, token)
		}
	}
	return path
}
