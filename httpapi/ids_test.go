package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/id"
)

// FuzzPathID: every identifier can be asked for, and is read as what it is, on every route.
func FuzzPathID(f *testing.F) {
	for _, s := range []string{"wf-1", `"a.>"`, "a/b", "%25", "..", ".", "a;b", "é", "a b+c", "check", "%2F", "?", "#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, want string) {
		if id.Check(want) != nil {
			return
		}
		e := echo.New()
		var got string
		read := func(c echo.Context) (err error) {
			got, err = pathID(c)
			return err
		}
		for _, route := range []string{"/oc/:id", "/oc/:id/check", "/planners/:peer"} {
			e.GET(route, read)
		}
		for _, path := range []string{"/oc/*", "/oc/*/check", "/planners/*"} {
			before, after, _ := strings.Cut(path, "*")
			got = ""
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, before+url.PathEscape(want)+after, nil)
			if err != nil {
				t.Fatal(err)
			}
			e.ServeHTTP(httptest.NewRecorder(), r)
			if got != want {
				t.Errorf("%s: %q is read as %q", path, want, got)
			}
		}
	})
}
