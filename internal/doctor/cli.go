package doctor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

// nats is a command of natscli that gets at the servers that were examined. Who asks is left out where it
// stands in a URL: it is secret.
func (e *exam) nats(command string, arguments ...string) string {
	words := []string{"nats"}
	if len(e.URLs) != 1 || shown(e.URLs[0]) != nats.DefaultURL || len(e.CLI) > 0 {
		list := make([]string, len(e.URLs))
		for i, url := range e.URLs {
			list[i] = shown(url)
		}
		words = append(words, "--server", strings.Join(list, ","))
	}
	words = append(append(words, e.CLI...), command)
	for _, a := range arguments {
		words = append(words, quoted(a))
	}
	return strings.Join(words, " ")
}

var plain = regexp.MustCompile(`^[\w./,:=@%+-]+$`)

// quoted is a word as a shell has to have it: names on a server may be anything.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// each is a command for some of many arguments, one after the other; an argument may be several words.
func (e *exam) each(command string, arguments []string, flags ...string) string {
	arguments = slices.Sorted(slices.Values(arguments))
	list := make([]string, 0, most)
	for _, a := range arguments[:min(len(arguments), most)] {
		list = append(list, "`"+e.nats(command, append(strings.Fields(a), flags...)...)+"`")
	}
	text := strings.Join(list, ", ")
	if left := len(arguments) - len(list); left > 0 {
		text += fmt.Sprintf(" and so on for %d more", left)
	}
	return text
}
