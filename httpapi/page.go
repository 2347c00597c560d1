package httpapi

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
)

// page is a part of a list in the order of the ids.
type page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor"` // null: this was the last page
}

// paged is what ?limit= and ?cursor= say: how many, and after which id. A cursor names an id, so a
// walk through a list that changes meets everything that stays. The error is a fault.List.
func paged(c echo.Context) (after string, limit int, err error) {
	limit = defaultLimit
	var faults fault.List
	query, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		faults.Add(fault.Root, "the query is malformed: %v", err)
	}
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxLimit {
			faults.Add(fault.Member(fault.Root, "limit"), "must be a whole number from 1 to %d", maxLimit)
		}
	}
	if cursor := query.Get("cursor"); cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(cursor)
		if after = string(raw); err != nil || id.Check(after) != nil {
			faults.Add(fault.Member(fault.Root, "cursor"), "must be the next_cursor of an earlier page")
		}
	}
	return after, limit, faults.Err()
}

// list answers with a page of a view.
func list[V, T any](s *Server, c echo.Context, viewOf func(*Parts) *store.View[V], show func(store.Item[V]) T) error {
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	after, limit, err := paged(c)
	if err != nil {
		return err
	}
	view := viewOf(parts)
	select {
	case <-view.Loaded():
	default:
		return errStarting
	}
	setAge(c, view.Age())
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSON(http.StatusOK, turn(view.Page(after, limit+1), limit, show))
}

// turn makes a page of up to limit items; one more than that tells that there is a next page.
func turn[V, T any](items []store.Item[V], limit int, show func(store.Item[V]) T) page[T] {
	var p page[T]
	if len(items) > limit {
		items = items[:limit]
		cursor := base64.RawURLEncoding.EncodeToString([]byte(items[limit-1].ID))
		p.NextCursor = &cursor
	}
	p.Items = make([]T, 0, len(items))
	for _, item := range items {
		p.Items = append(p.Items, show(item))
	}
	return p
}
