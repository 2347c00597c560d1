package peer

import (
	"errors"
	"regexp"

	"go.yaml.in/yaml/v4"
)

// written has a document mean what it shows: names, and numbers that are not written as decimals (010 is 8 to
// YAML), become the text that they are; what YAML reads as something else than was written is a fault.
func written(n *yaml.Node) (faults []lineFault) {
	note := func(at *yaml.Node, message string) { faults = append(faults, lineFault{at.Line, errors.New(message)}) }
	for i, child := range n.Content {
		switch isName := n.Kind == yaml.MappingNode && i%2 == 0; {
		case child.Style&yaml.TaggedStyle != 0:
			note(child, "a text that begins with ! must be in quotes; tags can't be used here")
		case isName && child.ShortTag() == "!!merge":
			note(child, "<< can't be used here")
		case child.Kind == yaml.ScalarNode && child.Anchor != "":
			note(child, "a text that begins with & must be in quotes; names for values can't be used here")
		case n.Kind != yaml.DocumentNode && isNull(child) && child.Value != "":
			note(child, child.Value+" is no value: leave it out, or put it in quotes")
		case n.Kind == yaml.SequenceNode && isNull(child):
			note(child, "an entry without a value")
		case child.Kind == yaml.ScalarNode && (isName || isNumber(child) && !decimal.MatchString(child.Value)):
			child.Tag = "!!str"
		}
		faults = append(faults, written(child)...)
	}
	return faults
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

func isNumber(n *yaml.Node) bool {
	tag := n.ShortTag()
	return tag == "!!int" || tag == "!!float"
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
