package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"oc-scheduler/client"
)

type contextCmd struct {
	List   contextListCmd   `cmd:"" default:"withargs" help:"List the contexts."`
	Use    contextUseCmd    `cmd:"" help:"Have commands talk to this one from now on."`
	Set    contextSetCmd    `cmd:"" help:"Make a context, or change what is given of it. The first one is used at once."`
	Remove contextRemoveCmd `cmd:"" help:"Forget a context."`
}

type contextListCmd struct{ outputFlags }

// contextDoc is a context as it is shown: without its token.
type contextDoc struct {
	Name    string `json:"name"`
	Current bool   `json:"current"`
	Server  string `json:"server"`
	CA      string `json:"ca,omitempty"`
	Token   bool   `json:"has_token"`
}

// Run lists the contexts.
func (c *contextListCmd) Run(con *console) error {
	known, err := con.contexts()
	if err != nil {
		return err
	}
	docs := []contextDoc{}
	for _, name := range slices.Sorted(maps.Keys(known.All)) {
		e := known.All[name]
		docs = append(docs, contextDoc{name, name == known.Current, withoutSecret(e.Server), e.CA, e.Token != ""})
	}
	p := c.printer(con)
	if !p.forPeople() {
		return printAll(p, docs)
	}
	t := newTable(p.paper, "CONTEXT CURRENT SERVER CA TOKEN")
	for _, d := range docs {
		t.row(d.Name, mark(d.Current), d.Server, d.CA, mark(d.Token))
	}
	return t.flush()
}

func mark(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

type contextUseCmd struct {
	outputFlags
	Context string `arg:"" type:"ident" help:"The context."`
}

// Run chooses a context.
func (c *contextUseCmd) Run(con *console) error {
	known, err := con.contexts()
	if err != nil {
		return err
	}
	entry, err := known.named(c.Context)
	if err != nil {
		return err
	}
	known.Current = c.Context
	if err := con.keep(known); err != nil {
		return err
	}
	return c.printer(con).done(c.Context, "current", "commands talk to "+c.Context+" now: "+withoutSecret(entry.Server))
}

type contextSetCmd struct {
	outputFlags
	Context string `arg:"" type:"ident" help:"Its name."`
	howItIs `embed:"" group:"The context:"`
}

type howItIs struct {
	Server    string `placeholder:"URL" help:"A replica, or what stands before some."`
	CA        string `name:"ca" placeholder:"FILE" help:"Certificate authorities that it is checked against (PEM)."`
	TokenFile string `placeholder:"FILE" help:"A file with the token to show, which is copied; - is standard input."`
}

// Run makes or changes a context.
func (c *contextSetCmd) Run(con *console) error {
	known, err := con.contexts()
	if err != nil {
		return err
	}
	entry, err := c.changed(known.All[c.Context])
	if err != nil {
		return err
	}
	known.All[c.Context] = entry
	if known.Current == "" {
		known.Current = c.Context
	}
	if err := con.keep(known); err != nil {
		return err
	}
	return c.printer(con).done(c.Context, "set", "context "+c.Context+": "+withoutSecret(entry.Server))
}

// changed is an entry with what is given.
func (h *howItIs) changed(e contextEntry) (contextEntry, error) {
	if h.Server != "" {
		e.Server = h.Server
	}
	if _, err := client.ParseServer(e.Server); err != nil {
		return e, fmt.Errorf("--server: %w", err)
	}
	if h.CA != "" {
		ca, err := filepath.Abs(h.CA)
		if err == nil {
			_, err = os.Stat(ca)
		}
		if err != nil {
			return e, fmt.Errorf("--ca: %w", err)
		}
		e.CA = ca
	}
	if h.TokenFile == "" {
		return e, nil
	}
	token, err := readToken(h.TokenFile)
	if err == nil && token == "" {
		err = errors.New("--token-file: it is empty")
	}
	e.Token = token
	return e, err
}

// readToken is the token in a file.
func readToken(file string) (string, error) {
	if file == "-" {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, 1<<16))
		if err != nil {
			return "", fmt.Errorf("--token-file: %w", err)
		}
		return plainToken("--token-file", string(text))
	}
	return tokenFlag{file}.fromFile()
}

type contextRemoveCmd struct {
	outputFlags
	Context string `arg:"" type:"ident" help:"The context."`
}

// Run forgets a context.
func (c *contextRemoveCmd) Run(con *console) error {
	known, err := con.contexts()
	if err != nil {
		return err
	}
	if _, err := known.named(c.Context); err != nil {
		return err
	}
	delete(known.All, c.Context)
	if known.Current == c.Context {
		known.Current = ""
	}
	if err := con.keep(known); err != nil {
		return err
	}
	return c.printer(con).done(c.Context, "removed", "context "+c.Context+" is forgotten")
}
