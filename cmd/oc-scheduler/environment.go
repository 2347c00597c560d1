package main

import (
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// environment gives each flag its twin: --nats-url is OC_NATS_URL. A flag that is given wins, an
// empty variable counts as unset. Flags of a group have none: they are parts of a question, and a
// variable that was forgotten would change the answer.
type environment struct {
	lookup lookup
	given  map[string]string // flag → variable, of those that were set
}

var _ kong.Resolver = (*environment)(nil)

// Validate has nothing to check: other programs may have variables of their own.
func (*environment) Validate(*kong.Application) error { return nil }

// Resolve reads a flag's variable.
func (e *environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	name := twin(flag.Name)
	value, _ := e.lookup(name)
	if value == "" || !hasTwin(flag) {
		return nil, nil
	}
	if e.given == nil {
		e.given = map[string]string{}
	}
	e.given["--"+flag.Name] = name
	return value, nil
}

var flagName = regexp.MustCompile(`--[a-z][a-z-]*`)

// name replaces in a message each flag that was set through its variable by that variable: this is
// where the reader has to look.
func (e *environment) name(msg string) string {
	return flagName.ReplaceAllStringFunc(msg, func(flag string) string {
		if name, ok := e.given[flag]; ok {
			return name
		}
		return flag
	})
}

// named is an error whose message went through name.
func (e *environment) named(err error) error {
	if text := e.name(err.Error()); text != err.Error() {
		return &renamedError{text, err}
	}
	return err
}

// renamedError is an error in other words.
type renamedError struct {
	text string
	err  error
}

func (e *renamedError) Error() string { return e.text }

func (e *renamedError) Unwrap() error { return e.err }

func hasTwin(flag *kong.Flag) bool { return flag.Name != "help" && flag.Group == nil }

func twin(flag string) string {
	return "OC_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// helpWithTwin is a flag's help with its variable.
func helpWithTwin(value *kong.Value) string {
	if value.Flag == nil || !hasTwin(value.Flag) {
		return value.Help
	}
	return strings.TrimSuffix(value.Help, ".") + " ($" + twin(value.Name) + ")."
}
