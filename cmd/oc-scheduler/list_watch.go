package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// watched says whether a list is.
type watched struct {
	Watch bool `short:"w" help:"Show each change until interrupted: on a terminal the list is drawn anew, elsewhere a change is a line."`
}

// lookEvery is how often a list is looked at that somebody watches: what changes is told within a second.
const lookEvery = 500 * time.Millisecond

// listWatcher shows what changes in a list.
type listWatcher struct {
	list
	p      *printer
	screen *screen              // nil: each change is a line
	known  map[string]knownItem // by name
	begun  bool
	lost   bool // the last look failed
}

// knownItem is an item as it was shown last.
type knownItem struct {
	doc  json.RawMessage
	text string
}

// watch shows the list, and then each change of it, over outages, until ctx ends.
func (l list) watch(ctx context.Context, p *printer) error {
	w := &listWatcher{list: l, p: p, known: map[string]knownItem{}}
	if p.forPeople() {
		w.screen = p.con.screen()
	}
	if w.screen == nil {
		p.human = false // what tells how long ago would change by itself
	}
	for {
		items, err := l.fetch(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && final(err):
			return err
		case err != nil:
			err = w.mourn(err)
		default:
			w.lost = false
			err = w.show(items)
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(lookEvery):
		}
	}
}

// mourn says once that the replica does not answer.
func (w *listWatcher) mourn(err error) error {
	if w.lost {
		return nil
	}
	w.lost = true
	line := lost(err) + "; trying again"
	if w.screen != nil {
		return w.screen.above([]string{line})
	}
	_, err = fmt.Fprintln(w.p.con.stderr, printable(line))
	return err
}

func (w *listWatcher) show(items []json.RawMessage) error {
	w.p.now = time.Now()
	if w.screen == nil {
		return w.changes(items)
	}
	t, err := w.table(w.p, items)
	if err != nil {
		return err
	}
	return w.screen.draw(t.lines())
}

// changes writes a line for each item that is new, otherwise, or not there any more.
func (w *listWatcher) changes(items []json.RawMessage) error {
	if !w.begun && w.p.forPeople() && !w.p.bare {
		if err := printFields(w.p, append([]string{"AT", "CHANGE"}, strings.Fields(w.header)...)); err != nil {
			return err
		}
	}
	seen := map[string]knownItem{}
	for _, item := range items {
		name := nameOf(item)
		now, err := w.item(item)
		if err != nil {
			return err
		}
		seen[name] = now
		was, known := w.known[name]
		if known && was.text == now.text {
			continue
		}
		if err := w.line(w.what(known), now); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.known)) {
		if _, still := seen[name]; !still {
			if err := w.line("removed", w.known[name]); err != nil {
				return err
			}
		}
	}
	w.known, w.begun = seen, true
	return nil
}

func (w *listWatcher) what(known bool) string {
	switch {
	case known:
		return "changed"
	case w.begun:
		return "added"
	}
	return "listed"
}

// item is an item, and what of it makes a difference to who reads it.
func (w *listWatcher) item(item json.RawMessage) (knownItem, error) {
	if !w.p.forPeople() {
		return knownItem{item, string(item)}, nil
	}
	cells, err := w.row(item)
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = w.p.cell(cell)
	}
	return knownItem{item, strings.Join(texts, "\t")}, err
}

func (w *listWatcher) line(what string, of knownItem) error {
	at := w.p.now.UTC().Format(time.RFC3339)
	switch {
	case w.p.forPeople():
		return printFields(w.p, []string{at, what, of.text})
	case w.p.format == "name":
		return w.p.doc(of.doc)
	}
	doc, err := json.Marshal(struct {
		At     string          `json:"at"`
		Change string          `json:"change"`
		Item   json.RawMessage `json:"item"`
	}{at, what, of.doc})
	if err != nil {
		return err
	}
	return w.p.line(doc)
}

// printFields writes a line whose fields are parted by tabs: cells may hold blanks.
func printFields(p *printer, fields []string) error {
	_, err := fmt.Fprintln(p, strings.Join(fields, "\t"))
	return err
}
