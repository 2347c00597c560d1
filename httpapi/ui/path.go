package ui

import (
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/id"
)

// pathID is the identifier in an address /ui/<what>/<id>…, as it was escaped there. What can't be one is
// nobody's: the error is echo's for an unknown address.
func pathID(c echo.Context) (string, error) {
	segments := strings.Split(c.Request().URL.EscapedPath(), "/")
	if len(segments) != strings.Count(c.Path(), "/")+1 {
		return "", echo.ErrNotFound
	}
	name, err := url.PathUnescape(segments[3])
	if err != nil || id.Check(name) != nil {
		return "", echo.ErrNotFound
	}
	return name, nil
}

// address is that of the page of something with an identifier.
func address(what, name string) string { return "/ui/" + what + "/" + url.PathEscape(name) }
