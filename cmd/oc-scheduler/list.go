package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// list is how a list is printed.
type list struct {
	path   string
	below  []string                                         // what follows it in the path
	query  url.Values                                       // which of them; nil: all
	from   func(context.Context) ([]json.RawMessage, error) // where it comes from; nil: page after page from the path
	header string
	row    func(item json.RawMessage) ([]any, error)
	sort   func(items []json.RawMessage) error // nil: by id, as it comes
	most   int                                 // so many of the first are printed; 0: all
	none   string                              // what people are told of an empty list
	watched
}

// print prints a list as a table, or as one array; of one that is watched each change.
func (l list) print(ctx context.Context, client *client, p *printer) error {
	if l.Watch {
		return l.watch(ctx, client, p)
	}
	items, err := l.fetch(ctx, client)
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
func (l list) fetch(ctx context.Context, client *client) (items []json.RawMessage, err error) {
	if l.from != nil {
		items, err = l.from(ctx)
	} else {
		err = client.each(ctx, append([]string{l.path}, l.below...), l.query, func(item json.RawMessage) error {
			items = append(items, item)
			return nil
		})
	}
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
