package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// outputFlags say how what is told is written.
type outputFlags struct {
	Output    string `short:"o" default:"table" enum:"table,json,yaml,name" help:"table, json, yaml, or name: nothing but ids."`
	NoHeaders bool   `help:"Tables without their headers."`
}

// printer writes what a command was told in the format that was asked for.
type printer struct {
	*paper
	con    *console
	format string
}

func (f outputFlags) printer(con *console) *printer {
	p := con.paper(con.stdout)
	p.bare = f.NoHeaders
	return &printer{p, con, f.Output}
}

// forPeople says whether it writes for people, and not for programs.
func (p *printer) forPeople() bool { return p.format == "table" }

// structured says whether what is written are documents.
func (p *printer) structured() bool { return p.format == "json" || p.format == "yaml" }

// doc writes a document that programs read.
func (p *printer) doc(doc json.RawMessage) error {
	switch p.format {
	case "yaml":
		return printYAML(p.con.stdout, doc)
	case "name":
		_, err := fmt.Fprintln(p.con.stdout, printable(nameOf(doc)))
		return err
	}
	return printJSON(p.con.stdout, doc)
}

// line writes one of several versions of a document, or of several documents that come one after the other.
func (p *printer) line(doc json.RawMessage) error {
	if p.format == "json" {
		return printLine(p.con.stdout, doc)
	}
	if p.format == "yaml" {
		if _, err := io.WriteString(p.con.stdout, "---\n"); err != nil {
			return err
		}
	}
	return p.doc(doc)
}

// value writes what a program reads that no replica has written.
func (p *printer) value(v any) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return p.doc(doc)
}

// items writes documents as one.
func (p *printer) items(items []json.RawMessage) error {
	if p.format != "name" {
		return p.value(append([]json.RawMessage{}, items...))
	}
	for _, item := range items {
		if err := p.doc(item); err != nil {
			return err
		}
	}
	return nil
}

// printAll writes what programs read that no replica has written.
func printAll[T any](p *printer, all []T) error {
	items := make([]json.RawMessage, len(all))
	for i := range all {
		var err error
		if items[i], err = json.Marshal(all[i]); err != nil {
			return err
		}
	}
	return p.items(items)
}

// done tells what has become of a thing of which there is no document, people in a sentence.
func (p *printer) done(id, state, sentence string) error {
	if p.forPeople() {
		return printLines(p.con.stdout, []string{sentence})
	}
	return p.value(map[string]string{"id": id, "state": state})
}

// printDoc writes a document of an answer: as it came, or as print has it.
func printDoc[T any](p *printer, body []byte, print func(*T, *paper) error) error {
	if !p.forPeople() {
		return p.doc(body)
	}
	var doc T
	if err := json.Unmarshal(body, &doc); err != nil {
		return err
	}
	return print(&doc, p.paper)
}

// naming are the members that name a document, those before others that may stand beside them.
var naming = []string{"id", "execution_id", "node_id", "peer_id", "schedule_id", "workflow_id", "nominal", "check", "seq", "sequence", "name", "at"}

// nameOf is what a document is called by.
func nameOf(doc json.RawMessage) string {
	var members map[string]any
	if json.Unmarshal(doc, &members) != nil {
		return ""
	}
	i := slices.IndexFunc(naming, func(name string) bool { return members[name] != nil })
	if i < 0 {
		return ""
	}
	return fmt.Sprint(members[naming[i]])
}
