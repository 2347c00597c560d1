package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"oc-scheduler/store/id"
	"oc-scheduler/store/strictjson"
)

// pathID is the one decoder of the identifiers in paths. Every route with one holds it in the second
// segment. It is read from the path as it came and percent-decoded exactly once: echo's own
// parameters are decoded or not depending on what else the path holds, and would be decoded twice or
// never. The error is a *Problem: 400 for what cannot be an identifier, 404 for a longer path than
// the route has (echo lets the last parameter swallow slashes).
func pathID(c echo.Context) (string, error) {
	path := c.Request().URL.EscapedPath()
	if strings.Count(path, "/") != strings.Count(c.Path(), "/") {
		return "", errNoRoute
	}
	_, rest, _ := strings.Cut(path, "/")
	_, rest, _ = strings.Cut(rest, "/")
	segment, _, _ := strings.Cut(rest, "/")
	decoded, err := url.PathUnescape(segment)
	if err == nil {
		err = id.Check(decoded)
	}
	if err != nil {
		return "", newProblem(http.StatusBadRequest, "the id in the path: %v", err)
	}
	return decoded, nil
}

// identifier reads an identifier in a body.
func identifier(r *strictjson.Reader, path string, value jsontext.Value) string {
	text, ok := r.Text(path, value)
	if ok {
		if err := id.Check(text); err != nil {
			r.Faults.Add(path, "%v", err)
		}
	}
	return text
}

// seconds is a duration for a header, in whole seconds rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
