package httpapi_test

import (
	"net/http"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/history"
	"oc-scheduler/store/id"
)

// TestTheEndOfAHoldShows to those who saw it, also when nothing of it is left but its history; to others it is not there.
func TestTheEndOfAHoldShows(t *testing.T) {
	t.Parallel()
	s, mine, theirs, operator := discreet(t)
	tell := func(path string, who []string, get, again, confirm int) {
		t.Helper()
		for _, c := range []struct {
			method, path string
			status       int
		}{{http.MethodGet, path, get}, {http.MethodDelete, path, again}, {http.MethodPost, path + "/confirm", confirm}} {
			if a := s.do(t, c.method, c.path, "", who...); a.status != c.status {
				t.Errorf("%s %s: %d %s, want %d", c.method, c.path, a.status, a.body, c.status)
			}
		}
	}
	held := func() string {
		t.Helper()
		return s.do(t, http.MethodPost, "/oc/wf-1/holds", `{`+window+`,"ttl_s":900}`, mine...).ok(t, http.StatusCreated).header.Get("Location")
	}
	released := held()
	tell(released, theirs, 404, 404, 404)
	s.do(t, http.MethodDelete, released, "", mine...).ok(t, http.StatusNoContent)
	tell(released, mine, 404, 204, 410)
	tell(released, operator, 404, 204, 410)
	tell(released, theirs, 404, 404, 404)
	tell(released, []string{"Authorization", s.as(t, access.User)}, 404, 404, 404) // in no group at all

	forgotten := held()
	name := forgotten[len("/holds/"):]
	natstest.Eventually(t, "it is passed on", func() bool {
		last, err := s.parts.Past.Last(t.Context(), history.OfHold, name)
		return err == nil && last.Seq > 0
	})
	bucket, err := s.js.KeyValue(t.Context(), "plan")
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Purge(t.Context(), "hold."+string(id.Key(name))); err != nil { // as its TTL does
		t.Fatal(err)
	}
	tell(forgotten, mine, 404, 204, 410)
	tell(forgotten, theirs, 404, 404, 404)
}
