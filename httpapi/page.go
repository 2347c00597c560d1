package httpapi

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/access"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
	pageBytes    = 4 << 20 // after which a page of large items ends
)

// page is a part of a list in the order of the ids.
type page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor"` // null: this was the last page
}

// paged is what ?limit= and ?cursor= say: how many, and after which id, and the faults of all parameters. A cursor
// names an id, so a walk through a list that changes meets everything that stays.
func (q *query) paged() (after string, limit int, err error) {
	limit = q.limit()
	if cursor := q.get("cursor"); cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(cursor)
		if after = string(raw); err != nil || id.Check(after) != nil {
			q.fault("cursor", "must be the next_cursor of an earlier page")
		}
	}
	return after, limit, q.faults.Err()
}

// limit is how many items are asked for.
func (q *query) limit() int {
	text := q.get("limit")
	if text == "" {
		return defaultLimit
	}
	n, ok := wholeNumber(text)
	if !ok || n < 1 || n > maxLimit {
		q.fault("limit", "must be a whole number from 1 to %d", maxLimit)
	}
	return int(min(n, maxLimit))
}

// listing is how a view is listed.
type listing[V, T any] struct {
	view  func(*Parts) *kv.View[V]
	show  func(kv.Item[V]) T
	bytes func(T) int                           // of an item, where items may be large
	sees  func(*Parts, *access.Subject, V) bool // whether an item is there for who asks; nil: for everybody
	by    []narrowing[V]                        // parameters that narrow the list to items of their values
}

// narrowing is a parameter that leaves of a list the items of its value.
type narrowing[V any] struct {
	name string
	of   func(V) string
	all  []string // the values there are; nil: any
}

// narrowed says whether an item is among those that a query wants. What is wrong with the query is among its faults.
func (l listing[V, T]) narrowed(q *query) func(V) bool {
	want := make([]string, len(l.by))
	for i, n := range l.by {
		want[i] = q.get(n.name)
		if want[i] != "" && n.all != nil && !slices.Contains(n.all, want[i]) {
			q.fault(n.name, "must be one of %s", strings.Join(n.all, ", "))
		}
	}
	return func(v V) bool {
		for i, n := range l.by {
			if want[i] != "" && n.of(v) != want[i] {
				return false
			}
		}
		return true
	}
}

// parameters are those that the list takes.
func (l listing[V, T]) parameters() []string {
	known := []string{"limit", "cursor"}
	for _, n := range l.by {
		known = append(known, n.name)
	}
	return known
}

// answer answers with a page of the view.
func (l listing[V, T]) answer(s *Server) echo.HandlerFunc {
	return func(c echo.Context) error {
		parts, err := s.loaded()
		if err != nil {
			return err
		}
		q := readQuery(c.Request(), l.parameters()...)
		narrowed := l.narrowed(q)
		after, limit, err := q.paged()
		if err != nil {
			return err
		}
		view := l.view(parts)
		if err := checkRead(view); err != nil {
			return err
		}
		setAge(c, view.Age())
		c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
		shown := func(v V) bool {
			return narrowed(v) && (l.sees == nil || l.sees(parts, subjectOf(c), v))
		}
		return c.JSON(http.StatusOK, l.turn(l.items(view, after, limit+1, shown), limit))
	}
}

// items are up to so many of those after an id that are shown. Of the others nothing shows, in no cursor and no
// count.
func (l listing[V, T]) items(view *kv.View[V], after string, limit int, shown func(V) bool) []kv.Item[V] {
	if l.sees == nil && l.by == nil {
		return view.Page(after, limit)
	}
	return sifted(view, after, limit, shown)
}

// sifted are up to so many of those after an id for which holds says yes.
func sifted[V any](view *kv.View[V], after string, limit int, holds func(V) bool) (items []kv.Item[V]) {
	for {
		some := view.Page(after, maxLimit)
		for _, item := range some {
			if !holds(item.Value) {
				continue
			}
			if items = append(items, item); len(items) == limit {
				return items
			}
		}
		if len(some) < maxLimit {
			return items
		}
		after = some[len(some)-1].ID
	}
}

// turn makes a page of up to limit items, fewer where they are large; there is a next page when an
// item is left.
func (l listing[V, T]) turn(items []kv.Item[V], limit int) page[T] {
	p := page[T]{Items: make([]T, 0, min(limit, len(items)))}
	room := pageBytes
	for i, item := range items {
		if i == limit || room <= 0 {
			p.NextCursor = cursorAfter(items[i-1].ID)
			break
		}
		shown := l.show(item)
		if l.bytes != nil {
			room -= l.bytes(shown)
		}
		p.Items = append(p.Items, shown)
	}
	return p
}

// cursorAfter is the cursor of the page that begins after an item.
func cursorAfter(id string) *string {
	cursor := base64.RawURLEncoding.EncodeToString([]byte(id))
	return &cursor
}
