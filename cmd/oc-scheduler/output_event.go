package main

import "strings"

// serverEvent is a server-sent event.
type serverEvent struct{ name, id, data string }

// add takes in a line; it is true at the end of an event that is more than a comment.
func (e *serverEvent) add(line string) (complete bool) {
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch {
	case line == "":
		return e.name != ""
	case field == "event":
		e.name = value
	case field == "id":
		e.id = value
	case field == "data":
		e.data = value
	}
	return false
}
