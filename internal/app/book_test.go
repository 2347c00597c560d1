package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// TestWhoBooksAgainBooksOnce though what he has booked before is not to be seen: its answer may have been lost.
func TestWhoBooksAgainBooksOnce(t *testing.T) {
	t.Parallel()
	r := start(t, on(natstest.Start(t)))
	r.awaitReady(t)
	put := fleettest.Send(t.Context(), http.MethodPut, r.URL()+"/oc/w", strings.NewReader(`{"id":"w","graph":{"items":{},"links":[]}}`))
	if put.Status != http.StatusCreated {
		t.Fatalf("%+v", put)
	}
	// By its labels none finds that of another.
	for i := range 3 {
		body := fmt.Appendf(nil, `{"duration_s":60,"labels":{"try":"%d"}}`, i)
		if err := r.BookOnce(t.Context(), "w", body, "name"); err != nil {
			t.Fatal(err)
		}
	}
	if _, body := r.status(t, "/schedules"); strings.Count(body, `"workflow_id"`) != 1 {
		t.Errorf("booked: %s", body)
	}
	if err := r.BookOnce(t.Context(), "nix", []byte(`{"duration_s":60}`), "other"); err == nil {
		t.Error("what there is not was booked")
	}
	if err := r.BookOnce(t.Context(), "w", []byte(`{"duration_s":60}`), "other"); err != nil {
		t.Errorf("after a try that booked nothing: %v", err)
	}
}
