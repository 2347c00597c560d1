package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type manCmd struct{}

// Help tells how it is read.
func (manCmd) Help() string { return "oc-scheduler man | man -l - shows it." }

// Run prints the manual page, which is made of the help.
func (manCmd) Run(ctx context.Context, con *console) error {
	parser, err := con.parser(ctx, &environment{lookup: con.env})
	if err != nil {
		return err
	}
	var m manual
	m.line(`.TH OC\-SCHEDULER 1 "" "oc\-scheduler %s"`, roff(version))
	m.section("NAME")
	m.line(`oc\-scheduler \- %s`, roff(parser.Model.Help))
	m.section("SYNOPSIS")
	m.line(`.B oc\-scheduler\n.I command\n[\fIargument\fR ...] [\fIflag\fR ...]`)
	m.section("COMMANDS")
	for _, cmd := range parser.Model.Leaves(true) {
		m.command(cmd)
	}
	m.section("EXIT STATUS")
	for _, c := range exitCodes {
		m.entry(roff(c.code), c.means)
	}
	m.section("ENVIRONMENT")
	m.line("%s", roff("Flags that are not parts of a question have twins: --server is OC_SERVER. A flag wins over its variable. "+
		"OC_TOKEN is a token to show, NO_COLOR turns colours off."))
	m.section("FILES")
	m.entry(roff("$XDG_CONFIG_HOME/oc-scheduler/config.yaml"), "Contexts; without the variable in ~/.config. It is its owner's alone.")
	_, err = io.WriteString(con.stdout, m.String())
	return err
}

// manual is a page in the macros of man(7).
type manual struct{ strings.Builder }

func (m *manual) line(format string, args ...any) {
	m.WriteString(fmt.Sprintf(strings.ReplaceAll(format, `\n`, "\n"), args...) + "\n")
}

func (m *manual) section(name string) { m.line(".SH %s", name) }

// entry is a term, and what it means.
func (m *manual) entry(term, means string) { m.line(".TP\n.B %s\n%s", term, roff(means)) }

// command is a command with its arguments, flags and examples.
func (m *manual) command(cmd *kong.Node) {
	shown := cmd
	if standsIn(cmd) {
		shown = cmd.Parent
	}
	summary := strings.TrimPrefix(pathOf(cmd)+strings.TrimPrefix(cmd.Summary(), cmd.FullPath()), " ")
	if shown != cmd {
		summary = strings.Replace(summary, pathOf(cmd), pathOf(shown), 1)
	}
	m.line(".SS %s", roff(summary))
	m.line("%s", roff(cmd.Help))
	if cmd.Detail != "" {
		m.line(".P\n%s", roff(cmd.Detail))
	}
	for _, a := range cmd.Positional {
		m.entry(roff(a.Summary()), a.Help)
	}
	for _, group := range cmd.AllFlags(true) {
		for _, f := range group {
			if f.Name != "help" {
				m.entry(roff(f.String()), helpWithTwin(f.Value))
			}
		}
	}
	for _, example := range examplesOf(cmd) {
		m.line(".P\n.EX\n    oc\\-scheduler %s\n.EE", roff(example))
	}
}

// roff is a text as roff takes it: nothing in it is a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
