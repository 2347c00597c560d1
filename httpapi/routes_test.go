package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
)

// TestEveryRouteIsDocumented, and nothing else is.
func TestEveryRouteIsDocumented(t *testing.T) {
	t.Parallel()
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	var documented []string
	for path, members := range doc.Paths {
		for method := range members {
			if method != "parameters" {
				documented = append(documented, strings.ToUpper(method)+" "+path)
			}
		}
	}
	server, err := New(Config{}, nil, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`:(\w+)`)
	var served []string
	for _, route := range server.http.Handler.(*echo.Echo).Routes() {
		page := route.Path == "/" || strings.HasPrefix(route.Path, "/ui") // for people
		if route.Method != http.MethodHead && !page {                     // GET without the body
			served = append(served, route.Method+" "+parameter.ReplaceAllString(route.Path, "{$1}"))
		}
	}
	slices.Sort(documented)
	slices.Sort(served)
	for _, route := range server.http.Handler.(*echo.Echo).Routes() {
		if route.Method == http.MethodGet && !slices.ContainsFunc(server.http.Handler.(*echo.Echo).Routes(), func(r *echo.Route) bool {
			return r.Path == route.Path && r.Method == http.MethodHead
		}) {
			t.Errorf("%s has no HEAD", route.Path)
		}
	}
	if !slices.Equal(served, documented) {
		t.Errorf("served are\n%s\ndocumented are\n%s", strings.Join(served, "\n"), strings.Join(documented, "\n"))
	}
}
