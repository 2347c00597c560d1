package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// printHelp is kong's help, where the command that stands in for its parent goes by the parent's name; below it are
// examples, or what the exit codes mean.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	cmd := ctx.Selected()
	shown := examplesOf(cmd)
	if standsIn(cmd) {
		cmd.Name = ""
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if cmd == nil {
		return printExitCodes(ctx.Stdout)
	}
	if len(shown) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(ctx.Stdout, "\nExamples:"); err != nil {
		return err
	}
	for _, example := range shown {
		if _, err := fmt.Fprintln(ctx.Stdout, "  oc-scheduler "+example); err != nil {
			return err
		}
	}
	return nil
}

// standsIn says whether a command is what its parent does without a command.
func standsIn(cmd *kong.Node) bool {
	return cmd != nil && cmd.Parent != nil && cmd.Parent.DefaultCmd == cmd
}

// called is the command, as far as it was understood, in which a command line went wrong.
func called(err error) string {
	cmd := selected(err)
	switch {
	case cmd == nil:
		return "oc-scheduler"
	case standsIn(cmd):
		return cmd.Parent.FullPath()
	}
	return cmd.FullPath()
}

func selected(err error) *kong.Node {
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil {
		return parse.Context.Selected()
	}
	return nil
}

var (
	noCommand = regexp.MustCompile(`^unexpected argument (.+?)(?:, did you mean .*\?)?$`)
	astray    = regexp.MustCompile(`^unexpected argument .*@`) // an address without a scheme, and who asks
	candidate = regexp.MustCompile(`"([^"]+)"`)
)

// misspelt says what kong says of a command line; of a command that there is none like it, and which
// may be meant: those that begin alike before others.
func misspelt(err error) string {
	text := astray.ReplaceAllString(err.Error(), "unexpected argument ")
	parts := noCommand.FindStringSubmatch(text)
	if parts == nil || selected(err) != nil {
		return text
	}
	word := parts[1]
	var alike, others []string
	for _, c := range candidate.FindAllStringSubmatch(strings.TrimPrefix(text, "unexpected argument "+word), -1) {
		if c[1][0] == word[0] {
			alike = append(alike, "`"+c[1]+"`")
		} else {
			others = append(others, "`"+c[1]+"`")
		}
	}
	if len(alike) == 0 {
		alike = others
	}
	text = "no command `" + word + "`"
	if len(alike) > 0 {
		text += "; did you mean " + strings.Join(alike, " or ") + "?"
	}
	return text
}
