package httpapi

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestDurationsInTheLog are for people: JSON would have nanoseconds.
func TestDurationsInTheLog(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s, err := New(Config{}, func() []Check { return nil }, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.http.Handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/livez", nil))
	if !regexp.MustCompile(`"duration":"[0-9.]+[nµm]?s"`).MatchString(log.String()) {
		t.Error(log.String())
	}
}
