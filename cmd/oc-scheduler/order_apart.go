package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// AfterApply keeps apart what is ours and what the node runs. They meet at the first --; without one the
// command may stand behind the node as long as no word of it, or behind it, can be taken for a flag of ours.
func (c *runCmd) AfterApply(line *kong.Context) error {
	first := slices.Index(line.Args, "--")
	if first >= 0 {
		if behind := len(line.Args) - first - 1; behind != len(c.Command) {
			return errors.New("before -- stand a node and flags, behind it the command: run NODE -- sleep 1")
		}
		return nil
	}
	began := false
	for _, p := range line.Path {
		switch {
		case p.Positional != nil && p.Positional.Name == "command":
			began = true
		case p.Flag != nil && !p.Resolved && began:
			return fmt.Errorf("--%s behind the command: put it before the node if it is meant for oc-scheduler, and -- before the command if not", p.Flag.Name)
		}
	}
	return nil
}
