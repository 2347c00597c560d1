package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// reads says whether the program can read a command line.
func reads(t *testing.T, args []string) error {
	t.Helper()
	con := &console{stdout: &sink{w: io.Discard}, stderr: io.Discard, env: lookupIn(nil)}
	parser, err := con.parser(t.Context(), &environment{lookup: con.env})
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(spelled(args))
	return err
}

// TestExamples: each command has some, its help shows them, and the program reads them as that command.
func TestExamples(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, leaf := range leaves(t) {
		path := pathOf(leaf)
		known[path] = true
		if leaf.Hidden {
			continue
		}
		if len(examples[path]) == 0 {
			t.Errorf("%s has no example", path)
		}
		help := invoke(t, nil, append(strings.Fields(path), "-h")...)
		for _, example := range examples[path] {
			if !strings.Contains(help.stdout, "\n  oc-scheduler "+example+"\n") {
				t.Errorf("the help of %s lacks %s:\n%s", path, example, help.stdout)
			}
			if called, _, _ := strings.Cut(strings.TrimSuffix(path, " list"), " "); !strings.HasPrefix(example, called) {
				t.Errorf("%s is no example of %s", example, path)
			}
			understood(t, path, shellWords(example))
		}
	}
	for path := range examples {
		if !known[path] {
			t.Errorf("there is no command %s", path)
		}
	}
}

// TestExitCodesAreTold in the one table.
func TestExitCodesAreTold(t *testing.T) {
	t.Parallel()
	help := invoke(t, nil, "-h").stdout
	for _, code := range []int{exitOK, exitFailure, exitUnavailable, exitUnknown, exitIncomplete, exitConfig, exitTimeout, exitNotRun} {
		if !strings.Contains(help, fmt.Sprintf("\n  %-6d  ", code)) {
			t.Errorf("%d is not told:\n%s", code, help)
		}
	}
}

// leaves are the commands that there are.
func leaves(t *testing.T) []*kong.Node {
	t.Helper()
	con := &console{stdout: &sink{w: io.Discard}, stderr: io.Discard, env: lookupIn(nil)}
	parser, err := con.parser(t.Context(), &environment{lookup: con.env})
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Leaves(false)
}

// TestThePageOfTheCommandLine holds nothing that the program can't read.
func TestThePageOfTheCommandLine(t *testing.T) {
	t.Parallel()
	for _, b := range blocksOf(t, "docs/cli.md") {
		for line := range strings.Lines(b.text) {
			args, ours := strings.CutPrefix(strings.TrimSpace(line), "oc-scheduler ")
			if !ours {
				t.Errorf("%s is none of our commands", line)
			}
			understood(t, "docs/cli.md", shellWords(args))
		}
	}
}
