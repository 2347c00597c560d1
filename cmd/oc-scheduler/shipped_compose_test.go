//go:build long

package main

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestShippedCompose has it read by the library of docker-compose, and holds that the program takes its command lines and each
// of the variables that it is given, and that files that are mounted are there.
func TestShippedCompose(t *testing.T) {
	t.Parallel()
	env := os.Environ()
	for _, user := range []string{"SCHEDULER", "BUS", "DEMO_NORTH", "DEMO_NORTH_2", "DEMO_SOUTH", "ROUTE"} {
		env = append(env, user+"_PASSWORD=secret")
	}
	var project struct {
		Services map[string]struct {
			Image       string
			Command     []string
			Environment map[string]string
			Volumes     []struct{ Type, Source string }
		}
	}
	if err := json.Unmarshal(readBy(t, "compose", "", env, root+"docker-compose.yml"), &project); err != nil {
		t.Fatal(err)
	}
	ours := 0
	for name, service := range project.Services {
		for _, v := range service.Volumes {
			if _, err := os.Stat(v.Source); v.Type == "bind" && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if service.Image == "oc-scheduler" {
			ours++
			takes(t, name, service.Command, service.Environment)
		}
	}
	if ours != 7 || len(project.Services) != 12 {
		t.Errorf("%d of %d services are ours", ours, len(project.Services))
	}
}

// takes holds that a command line, of the image's own command where there is none, uses all variables.
func takes(t *testing.T, name string, command []string, variables map[string]string) {
	t.Helper()
	if command == nil {
		command = []string{"serve"}
	}
	env := &environment{lookup: lookupIn(variables)}
	parser, err := (&console{stdout: &sink{w: io.Discard}, stderr: io.Discard, env: env.lookup}).parser(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(command); err != nil {
		t.Errorf("%s: %q: %v", name, command, err)
	}
	var used []string
	for _, variable := range env.given {
		used = append(used, variable)
	}
	for variable := range variables {
		if strings.HasPrefix(variable, "OC_") && !slices.Contains(used, variable) {
			t.Errorf("%s: %s means nothing", name, variable)
		}
	}
}
