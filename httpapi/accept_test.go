package httpapi

import (
	"net/http"
	"testing"
)

func TestPrefersEvents(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"":                                    false,
		"text/event-stream":                   true,
		"*/*":                                 false,
		"text/event-stream, application/json": true,
		"application/json, text/event-stream": false,
		"application/json;q=0.1, text/event-stream":       true,
		"text/event-stream;q=0.5, application/json;q=0.9": false,
		"text/event-stream;q=0, application/json":         false,
		"text/event-stream;q=0":                           false,
		"text/html, text/event-stream;q=0.9, */*;q=0.8":   true,
		"text/event-stream;q=soon":                        true,
	} {
		r := &http.Request{Header: http.Header{"Accept": {accept}}}
		if got := prefersEvents(r); got != want {
			t.Errorf("Accept: %s: %v", accept, got)
		}
	}
}
