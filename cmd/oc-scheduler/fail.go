package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"oc-scheduler/client"
)

// failure is an error as programs read it.
type failure struct {
	Error    string  `json:"error"`
	ExitCode int     `json:"exit_code"`
	Status   int     `json:"status,omitempty"` // of the replica's answer
	Faults   []fault `json:"faults,omitempty"` // of what was asked for
}

// fault is what is wrong with a flag, or with a place in a document.
type fault struct {
	At      string `json:"at"`
	Message string `json:"message"`
}

// fail prints one line, whatever the error holds. Nobody is left to tell that it can't be written.
func (c *console) fail(err error, code int, format string) {
	if !slices.Contains([]string{"json", "yaml"}, format) {
		_, _ = fmt.Fprintln(c.stderr, "oc-scheduler: "+printable(oneLine(err.Error())))
		return
	}
	doc := failure{Error: printable(oneLine(err.Error())), ExitCode: code}
	if p, ok := errors.AsType[*client.Problem](err); ok {
		doc.Status = p.Status
		for _, f := range p.Errors {
			doc.Faults = append(doc.Faults, fault{printable(oneLine(f.Path)), printable(oneLine(f.Message))})
		}
	}
	text, err := json.Marshal(doc)
	if err == nil && format == "json" {
		_ = printLine(c.stderr, text)
	} else if err == nil {
		_ = printYAML(c.stderr, text)
	}
}

// formatOf is the format that a command line asks for, whether it can be read otherwise or not.
func formatOf(args []string, env lookup) string {
	format, _ := env("OC_OUTPUT")
	for i, arg := range args {
		value, given := strings.CutPrefix(arg, "--output=")
		if !given && !strings.HasPrefix(arg, "--") {
			value, given = strings.CutPrefix(arg, "-o")
			value = strings.TrimPrefix(value, "=")
		}
		switch {
		case arg == "--":
			return format
		case (arg == "-o" || arg == "--output") && i+1 < len(args):
			format = args[i+1]
		case given && value != "":
			format = value
		}
	}
	return format
}
