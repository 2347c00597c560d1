package main

import (
	"context"
	"encoding/json"
	"fmt"
)

// source is where the items of a list come from.
type source func(context.Context) ([]json.RawMessage, error)

// list is how a list is printed.
type list struct {
	from   source
	header string
	row    func(item json.RawMessage) ([]any, error)
	sort   func(items []json.RawMessage) error // nil: by id, as it comes
	most   int                                 // so many of the first are printed; 0: all
	none   string                              // what people are told of an empty list
	watched
}

// print prints a list as a table, or as one array; of one that is watched each change.
func (l list) print(ctx context.Context, p *printer) error {
	if l.Watch {
		return l.watch(ctx, p)
	}
	items, err := l.fetch(ctx)
	if err != nil {
		return err
	}
	if !p.forPeople() {
		return p.items(items)
	}
	t, err := l.table(p, items)
	if err != nil {
		return err
	}
	if len(items) == 0 && l.none != "" {
		_, _ = fmt.Fprintln(p.con.stderr, l.none)
	}
	return t.flush()
}

// fetch reads the items that are to be printed, in their order.
func (l list) fetch(ctx context.Context) (items []json.RawMessage, err error) {
	items, err = l.from(ctx)
	if err == nil && l.sort != nil {
		err = l.sort(items)
	}
	if l.most > 0 && len(items) > l.most {
		items = items[:l.most]
	}
	return items, err
}

// table is the items as people see them.
func (l list) table(p *printer, items []json.RawMessage) (*table, error) {
	t := newTable(p.paper, l.header)
	for _, item := range items {
		cells, err := l.row(item)
		if err != nil {
			return nil, err
		}
		t.row(cells...)
	}
	return t, nil
}
