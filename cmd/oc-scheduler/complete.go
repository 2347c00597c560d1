package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// completing is the word by which shells ask what may stand at the end of a command line.
const completing = "__complete"

// completeWithin bounds what somebody waits for after a press of Tab.
const completeWithin = 2 * time.Second

// complete writes what the last of some words may be, a candidate a line.
func (c *console) complete(ctx context.Context, words []string) error {
	parser, err := c.parser(ctx, &environment{lookup: c.env})
	if err != nil {
		return err
	}
	at := lineOf(parser.Model.Node, words)
	for _, candidate := range at.candidates(func(kind string) []string { return c.idsOf(ctx, kind, words) }) {
		if !strings.HasPrefix(candidate, at.last) {
			continue
		}
		if _, err := fmt.Fprintln(c.stdout, candidate); err != nil {
			return err
		}
	}
	return nil
}

// line is how far a command line is understood.
type line struct {
	cmd    *kong.Node
	nth    int        // of the positional argument that comes next
	flag   *kong.Flag // whose value comes next; nil: none
	last   string     // what stands there so far
	behind bool       // a --: what follows is not ours
}

// lineOf reads the words of a command line, the last of which is not complete.
func lineOf(root *kong.Node, words []string) line {
	at := line{cmd: root}
	if len(words) == 0 {
		return at
	}
	for _, word := range words[:len(words)-1] {
		at.take(word)
	}
	at.last = words[len(words)-1]
	return at
}

func (l *line) take(word string) {
	switch {
	case word == "--":
		l.behind = true
	case word == "=": // which bash takes for a word
	case l.flag != nil:
		l.flag = nil
	case strings.HasPrefix(word, "-"):
		name, _, whole := strings.Cut(word, "=")
		if f := l.flagNamed(name); f != nil && !whole && !f.IsBool() {
			l.flag = f
		}
	default:
		l.word(word)
	}
}

// word is a command, or an argument of one.
func (l *line) word(word string) {
	i := slices.IndexFunc(l.cmd.Children, func(n *kong.Node) bool { return n.Name == word })
	switch {
	case i >= 0 && l.nth == 0:
		l.cmd = l.cmd.Children[i]
	case l.cmd.DefaultCmd != nil:
		l.cmd = l.cmd.DefaultCmd
		fallthrough
	default:
		l.nth++
	}
}

// node is where flags and arguments of the command stand.
func (l *line) node() *kong.Node {
	if l.cmd.DefaultCmd != nil {
		return l.cmd.DefaultCmd
	}
	return l.cmd
}

func (l *line) flagNamed(name string) *kong.Flag {
	for _, group := range l.node().AllFlags(true) {
		for _, f := range group {
			if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

// candidates are what may stand there; ids are those of a kind that the replica knows.
func (l *line) candidates(ids func(kind string) []string) (all []string) {
	switch {
	case l.behind:
		return nil
	case l.flag != nil:
		return valuesOf(l.flag.Value, ids)
	case strings.HasPrefix(l.last, "--") && strings.Contains(l.last, "="): // one word, but for bash
		return l.withValue(ids)
	case strings.HasPrefix(l.last, "-"):
		for _, group := range l.node().AllFlags(true) {
			for _, f := range group {
				all = append(all, "--"+f.Name)
			}
		}
		return all
	}
	if l.nth == 0 {
		for _, n := range l.cmd.Children {
			if !n.Hidden {
				all = append(all, n.Name)
			}
		}
	}
	if arguments := l.node().Positional; l.nth < len(arguments) {
		all = append(all, valuesOf(arguments[l.nth], ids)...)
	}
	return all
}

// withValue are the forms of a flag and its value in one word.
func (l *line) withValue(ids func(kind string) []string) (all []string) {
	name, _, _ := strings.Cut(l.last, "=")
	if f := l.flagNamed(name); f != nil {
		for _, value := range valuesOf(f.Value, ids) {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// valuesOf are the values of a flag or an argument: those that it lists, or ids of what it is named after.
func valuesOf(v *kong.Value, ids func(kind string) []string) []string {
	if v.Enum != "" {
		return v.EnumSlice()
	}
	return ids(v.Name)
}

// lists are the commands that list what an argument or a flag may name.
var lists = map[string][]string{
	"workflow":  {"workflows", "list"},
	"node":      {"nodes", "list"},
	"run":       {"runs", "list"},
	"schedule":  {"schedules", "list"},
	"execution": {"executions", "list", "--limit", "200"},
	"peer":      {"planners", "list"},
	"token":     {"token", "list"},
	"context":   {"context", "list"},
}

// idsOf are the ids of a kind, as the list of them names them: of the replica that the words lead to.
func (c *console) idsOf(ctx context.Context, kind string, words []string) []string {
	args := lists[kind]
	if args == nil {
		return nil
	}
	args = append(slices.Clone(args), "-o", "name")
	if kind != "context" {
		args = append(args, reaching(words)...)
	}
	ctx, cancel := context.WithTimeout(ctx, completeWithin)
	defer cancel()
	var out bytes.Buffer
	quiet := &console{stdout: &sink{w: &out}, stderr: io.Discard, env: c.env}
	_, _ = quiet.obey(ctx, args) // without an answer there are no candidates
	return slices.DeleteFunc(strings.Split(out.String(), "\n"), func(line string) bool { return line == "" })
}

// reaching are the flags among words that say whom a command talks to.
func reaching(words []string) (flags []string) {
	for i, word := range words {
		name, _, whole := strings.Cut(word, "=")
		if !slices.Contains([]string{"--server", "--context", "--token-file", "--ca"}, name) {
			continue
		}
		if flags = append(flags, word); !whole && i+1 < len(words) {
			flags = append(flags, words[i+1])
		}
	}
	return flags
}
