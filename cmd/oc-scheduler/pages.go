package main

import (
	"context"
	"encoding/json"

	"oc-scheduler/client"
)

// pageSize is what is asked for at a time.
const pageSize = 500

// every reads a list page after page.
func every[T any](page func(context.Context, client.Page, ...client.CallOption) (*client.List[T], error)) source {
	return func(ctx context.Context) (all []json.RawMessage, err error) {
		for at := (client.Page{Limit: pageSize}); ; {
			items, next, err := itemsOf(func(into client.CallOption) error {
				_, err := page(ctx, at, into)
				return err
			})
			if all = append(all, items...); err != nil || next == "" {
				return all, err
			}
			at.Cursor = next
		}
	}
}

// whole reads a list that comes whole.
func whole(ask func(ctx context.Context, into client.CallOption) error) source {
	return func(ctx context.Context) ([]json.RawMessage, error) {
		items, _, err := itemsOf(func(into client.CallOption) error { return ask(ctx, into) })
		return items, err
	}
}

// itemsOf are the items of a list as they came.
func itemsOf(ask func(into client.CallOption) error) (items []json.RawMessage, next string, err error) {
	var was client.Answer
	if err := ask(client.Into(&was)); err != nil {
		return nil, "", err
	}
	var page client.List[json.RawMessage]
	err = json.Unmarshal(was.Body, &page)
	return page.Items, page.NextCursor, err
}
