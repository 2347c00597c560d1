package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestThePageOfTheInterface shows all that both documents say, before there is anything else, and leads nowhere else.
func TestThePageOfTheInterface(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	page := s.page(t, "/docs", http.StatusOK)
	if len(page) > 400<<10 {
		t.Errorf("it has %d bytes", len(page))
	}
	shows := func(parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(page, part) {
				t.Errorf("it does not show %q", part)
			}
		}
	}
	api, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range api.Paths.Map() {
		for method, o := range item.Operations() {
			shows(`<h3 id="` + o.OperationID + `"><code>` + method + " " + path + "</code></h3>")
		}
	}
	for name := range api.Components.Schemas {
		shows(`id="schema-` + name + `"`)
	}
	d, err := talked()
	if err != nil {
		t.Fatal(err)
	}
	for id, c := range d.Channels {
		shows(`id="stream-`+id+`"`, "<code>"+c.Address+"</code>")
	}
	for name, m := range d.Components.Messages {
		shows("(<code>" + m.Name + "</code>)")
		if m.Name == "" {
			t.Errorf("%s has no name", name)
		}
	}
	shows(`<th scope="row">1012</th><td>the replica drains</td>`, "<code>graph.links[].source</code>", "<code>processing.duration_s</code>",
		"&#34;available&#34; | &#34;unavailable&#34; | &#34;unknown&#34;", `list of <a href="#schema-ResourceResult">ResourceResult</a>`)

	ids := map[string]int{}
	for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[id[1]]++; ids[id[1]] > 1 {
			t.Errorf("two parts are %s", id[1])
		}
	}
	for _, to := range regexp.MustCompile(` href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[to[1]] == 0 {
			t.Errorf("a link leads to %s", to[1])
		}
	}
	for _, to := range regexp.MustCompile(`(?:href|src)="([^"#]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(to[1], "/") {
			t.Errorf("it leads to %s", to[1])
		}
	}
	newSite(t, defaults).shows(t, "/ui/", `href="/docs"`)
}

// TestThePageOfTheInterfaceIsMadeOnce: it depends on what is built in alone, and anybody may ask for it as often as he
// likes.
func TestThePageOfTheInterfaceIsMadeOnce(t *testing.T) {
	s := newBareSite(t, defaults)
	each := testing.AllocsPerRun(10, func() {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs", nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	})
	if each > 1000 {
		t.Errorf("a request takes %v allocations", each)
	}
}
