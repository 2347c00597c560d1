package httpapi

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReadingBodies(t *testing.T) {
	t.Parallel()
	const most = 2 * smallBody
	s := &Server{cfg: Config{MaxBody: most}}
	for name, tc := range map[string]struct {
		announced, sent int
		large           bool
		err             error
	}{
		"none":              {0, 0, false, nil},
		"small":             {10, 10, false, nil},
		"small, unknown":    {-1, 10, false, nil},
		"large":             {most, most, false, nil},
		"large, unknown":    {-1, most, false, nil},
		"too large":         {most + 1, most + 1, true, nil},
		"too large, hidden": {-1, most + 1, true, nil},
		"cut off":           {10, 5, false, io.ErrUnexpectedEOF},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(strings.Repeat("x", tc.sent)))
		r.ContentLength = int64(tc.announced)
		body, err := s.read(httptest.NewRecorder(), r)
		if _, large := errors.AsType[*http.MaxBytesError](err); large != tc.large || !large && !errors.Is(err, tc.err) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && len(body) != tc.sent {
			t.Errorf("%s: %d bytes read", name, len(body))
		}
	}
}
