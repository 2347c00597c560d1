package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// table aligns columns. Errors of the writer come out of flush.
type table struct {
	w   *tabwriter.Writer
	err error
}

// newTable begins a table with a header of words, one a column; "" has none.
func newTable(w io.Writer, header string) *table {
	t := &table{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	if header != "" {
		t.line(strings.ReplaceAll(header, " ", "\t"))
	}
	return t
}

func (t *table) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = cellText(cell)
	}
	t.line(strings.Join(texts, "\t"))
}

func (t *table) line(s string) {
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.w, s)
	}
}

func (t *table) flush() error {
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

// cellText writes times in UTC, absent values as a dash, and lets no cell break the table or the
// terminal: ids come from strangers.
func cellText(cell any) string {
	if at, ok := cell.(time.Time); ok {
		if at.IsZero() {
			return "-"
		}
		return at.UTC().Format(time.RFC3339Nano)
	}
	s := printable(fmt.Sprint(cell))
	if s == "" {
		return "-"
	}
	return s
}

// printable replaces what would move a terminal's cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// rough is a time as lists show it: when about something was, not in what order things were.
func rough(t time.Time) time.Time { return t.Truncate(time.Second) }

// printDoc prints a document of an answer: as it came, or as print has it.
func printDoc[T any](w io.Writer, output string, body []byte, print func(*T, io.Writer) error) error {
	if output == "json" {
		return printJSON(w, json.RawMessage(body))
	}
	var doc T
	if err := json.Unmarshal(body, &doc); err != nil {
		return err
	}
	return print(&doc, w)
}
