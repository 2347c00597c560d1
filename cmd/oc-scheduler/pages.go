package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
)

// pageSize is what is asked for at a time.
const pageSize = 500

// each calls f with each item of a list, page after page.
func (c *client) each(ctx context.Context, path []string, query url.Values, f func(item json.RawMessage) error) error {
	query = maps.Clone(query)
	if query == nil {
		query = url.Values{}
	}
	query.Set("limit", strconv.Itoa(pageSize))
	for {
		body, err := c.get(ctx, c.url(query, slices.Clone(path)...))
		if err != nil {
			return err
		}
		var page struct {
			Items      []json.RawMessage `json:"items"`
			NextCursor string            `json:"next_cursor"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := f(item); err != nil {
				return err
			}
		}
		if page.NextCursor == "" {
			return nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

// list is how a list is printed.
type list struct {
	path   string
	below  []string   // what follows it in the path
	query  url.Values // which of them; nil: all
	header string
	row    func(item json.RawMessage) ([]any, error)
	sort   func(items []json.RawMessage) error // nil: by id, as it comes
	none   string                              // what people are told of an empty list
}

// print prints a list as a table, or as one JSON array.
func (l list) print(ctx context.Context, client *client, con *console, output string) error {
	items := []json.RawMessage{}
	err := client.each(ctx, append([]string{l.path}, l.below...), l.query, func(item json.RawMessage) error {
		items = append(items, item)
		return nil
	})
	if err == nil && l.sort != nil {
		err = l.sort(items)
	}
	if err != nil {
		return err
	}
	return l.show(con, output, items)
}

// show prints the items of a list.
func (l list) show(con *console, output string, items []json.RawMessage) error {
	if output == "json" {
		return printJSON(con.stdout, items)
	}
	table := newTable(con.stdout, l.header)
	for _, item := range items {
		cells, err := l.row(item)
		if err != nil {
			return err
		}
		table.row(cells...)
	}
	if len(items) == 0 && l.none != "" {
		_, _ = fmt.Fprintln(con.stderr, l.none)
	}
	return table.flush()
}
