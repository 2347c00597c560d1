package client

import (
	"iter"
	"net/url"
	"strconv"
)

// Page says which part of a list is asked for.
type Page struct {
	Limit  int    // 1 to 1000; 0: 100
	Cursor string // List.NextCursor of the page before; empty: from the beginning
}

// in is a query with the page in it.
func (p Page) in(query url.Values) url.Values {
	if query == nil {
		query = url.Values{}
	}
	if p.Limit != 0 {
		query.Set("limit", strconv.Itoa(p.Limit))
	}
	if p.Cursor != "" {
		query.Set("cursor", p.Cursor)
	}
	return query
}

// List is a page of a list.
type List[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor"` // empty: it is the last one
}

// pageSize is what is asked for at a time.
const pageSize = 500

// All calls list for each page, and yields the items; with an error it ends.
//
//	for run, err := range client.All(func(p client.Page) (*client.List[client.Run], error) {
//		return c.ListRuns(ctx, client.RunFilter{State: "running"}, p)
//	}) {
func All[T any](list func(Page) (*List[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page := (Page{Limit: pageSize}); ; {
			l, err := list(page)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range l.Items {
				if !yield(item, nil) {
					return
				}
			}
			if page.Cursor = l.NextCursor; page.Cursor == "" {
				return
			}
		}
	}
}

// given is a query of what is not empty.
func given(pairs ...string) url.Values {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return query
}
