package main

import (
	"io"
	"strings"
	"unicode/utf8"
)

// table aligns columns.
type table struct {
	on   *paper
	head bool
	rows [][]string
}

// newTable begins a table with a header of words, one a column; "" has none.
func newTable(on *paper, header string) *table {
	t := &table{on: on}
	if header != "" && !on.bare {
		t.head = true
		t.rows = append(t.rows, strings.Fields(header))
	}
	return t
}

func (t *table) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = t.on.cell(cell)
	}
	t.rows = append(t.rows, texts)
}

// note adds a line below the last column.
func (t *table) note(text string) {
	row := []string{text}
	if n := len(t.rows); n > 0 {
		row = append(make([]string, len(t.rows[n-1])-1), text)
	}
	t.rows = append(t.rows, row)
}

// lines are the rows as they are written.
func (t *table) lines() []string {
	var widths []int
	for _, row := range t.rows {
		for i, text := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	lines := make([]string, len(t.rows))
	for n, row := range t.rows {
		var line strings.Builder
		for i, text := range row {
			if i == len(row)-1 {
				line.WriteString(t.painted(n, i, text))
				break
			}
			line.WriteString(t.painted(n, i, text) + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text)+2))
		}
		lines[n] = line.String()
	}
	return lines
}

// painted colours a state; what things are called by is in the first column.
func (t *table) painted(row, column int, text string) string {
	if t.head && row == 0 || column == 0 {
		return text
	}
	state, _, _ := strings.Cut(text, ":")
	return t.on.paint.state(state, text)
}

func (t *table) flush() error {
	if len(t.rows) == 0 {
		return nil
	}
	_, err := io.WriteString(t.on, strings.Join(t.lines(), "\n")+"\n")
	return err
}
