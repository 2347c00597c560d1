package strictjson

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
)

// ambiguous notes what readers differ in making of, in data that is JSON by its grammar: members that are
// there more than once, and text that is not Unicode.
func (r *Reader) ambiguous(data []byte) {
	d := jsontext.NewDecoder(bytes.NewReader(data), lenient...)
	note := func(what string) { r.Faults.Add(fault.PathIn(d, d.StackPointer()), "%s", what) }
	var seen []map[string]bool // names of the objects that are open; nil for an array
	for {
		switch d.PeekKind() {
		case '"':
			text, _ := d.ReadValue()
			if !text.IsValid() {
				note("is not Unicode text")
			}
			if kind, length := d.StackIndex(d.StackDepth()); kind == '{' && length%2 == 1 {
				name, names := string(unquote(text)), seen[len(seen)-1]
				if names[name] {
					note("is there twice")
				}
				names[name] = true
			}
			continue
		case '{':
			seen = append(seen, map[string]bool{})
		case '[':
			seen = append(seen, nil)
		case '}', ']':
			seen = seen[:len(seen)-1]
		}
		if _, err := d.ReadToken(); err != nil { // the end
			return
		}
	}
}
