package main

import (
	"context"
	"encoding/json"
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
