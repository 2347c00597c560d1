package peer

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// wording tells what a value should be, where YAML speaks of Go's types; other messages stay. Values are
// repeated only where they can't be secret.
func wording(root *yaml.Node, mark yaml.Mark, message string) string {
	_, kind, mistyped := strings.Cut(message, " into ")
	if !mistyped || !strings.HasPrefix(message, "cannot construct ") {
		return message
	}
	path, value := at(root, "", mark)
	must := ""
	switch {
	case path == "":
		return "must be fields, such as peer_id: north"
	case kind == "time.Duration" && value == "":
		must = "a duration such as 5s"
	case kind == "time.Duration":
		return fmt.Sprintf("%s: %.20s is not a duration such as 5s", path, value)
	case kind == "[]string" && path == "nats.url":
		must = "a list: [nats://…]"
	case strings.HasPrefix(kind, "[]"):
		must = "a list: […]"
	case kind == "string":
		must = "a text"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		must = "a whole number"
	default:
		must = "fields by name"
	}
	return path + ": must be " + must
}

// at is the path of the innermost node that begins at a mark, and its value; "" when it is the root, or
// is none.
func at(n *yaml.Node, path string, mark yaml.Mark) (found, value string) {
	for i := 0; i < len(n.Content); i++ {
		child, below := n.Content[i], path
		if n.Kind == yaml.MappingNode {
			if i%2 == 0 {
				continue // a name
			}
			below = strings.TrimPrefix(path+"."+n.Content[i-1].Value, ".")
		}
		if found, value = at(child, below, mark); found != "" {
			return found, value
		}
	}
	if n.Line == mark.Line && n.Column == mark.Column {
		return path, n.Value
	}
	return "", ""
}
