//go:build long

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"oc-scheduler/internal/modtest"
)

// readBy has a program of deploy's own read a file as what it is for would, and returns what it prints of it.
func readBy(t *testing.T, program, stdin string, env []string, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), modtest.Build(t, filepath.FromSlash(root+"deploy/testdata/checks"), "./"+program), args...)
	command.Stdin, command.Env = strings.NewReader(stdin), env
	var faults bytes.Buffer
	command.Stderr = &faults
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, faults.String())
	}
	return out
}
