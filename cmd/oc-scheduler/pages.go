package main

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
)

// pageSize is what is asked for at a time.
const pageSize = 500

// each calls f with each item of a list, page after page.
func (c *client) each(ctx context.Context, path string, f func(item json.RawMessage) error) error {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	for {
		body, err := c.get(ctx, c.url(query, path))
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

// list prints a list as a table, or as one JSON array.
func (c *client) list(ctx context.Context, con *console, output, path, header string, row func(json.RawMessage) ([]any, error)) error {
	if output == "json" {
		items := []json.RawMessage{}
		err := c.each(ctx, path, func(item json.RawMessage) error {
			items = append(items, item)
			return nil
		})
		if err != nil {
			return err
		}
		return printJSON(con.stdout, items)
	}
	table := newTable(con.stdout, header)
	err := c.each(ctx, path, func(item json.RawMessage) error {
		cells, err := row(item)
		table.row(cells...)
		return err
	})
	if err != nil {
		return err
	}
	return table.flush()
}
