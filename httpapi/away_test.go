package httpapi_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
)

// TestWhatIsBookedAndRunIsKnownWhileNATSIsAway, as it was known last, with its age; what is changed is refused.
func TestWhatIsBookedAndRunIsKnownWhileNATSIsAway(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	run := s.begins(t, "wf-1", "wait", "running")
	scheduled := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{"start":"`+on(0)+`T09:00:00Z","cron":"0 9 * * *"}`).ok(t, http.StatusCreated).header.Get("Location")
	hold := s.do(t, http.MethodPost, "/oc/wf-1/holds", `{"start":"`+on(0)+`T11:00:00Z","ttl_s":900}`).ok(t, http.StatusCreated).header.Get("Location")
	gone := s.do(t, http.MethodPost, "/oc/wf-1/holds", `{"start":"`+on(0)+`T12:00:00Z","ttl_s":900}`).ok(t, http.StatusCreated).header.Get("Location")
	s.do(t, http.MethodDelete, gone, "").ok(t, http.StatusNoContent)

	documents := []string{run, run + "/history", scheduled, scheduled + "/next", hold}
	before := map[string]map[string]any{}
	for _, path := range documents {
		before[path] = s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)
	}
	s.nats.Stop()
	natstest.Eventually(t, "the views notice", func() bool { return s.parts.Plan.Age() > 0 })
	for _, path := range documents {
		got := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK)
		if now := got.json(t); !reflect.DeepEqual(now, before[path]) || got.header.Get("Age") == "" {
			t.Errorf("%s is %v, aged %q, was %v", path, now, got.header.Get("Age"), before[path])
		}
	}
	for _, path := range []string{run, scheduled, hold} {
		if got := s.do(t, http.MethodGet, "/ui"+path, "").ok(t, http.StatusOK); !strings.Contains(string(got.body), "NATS is out of reach; this is ") {
			t.Errorf("the page of %s does not say that it is old:\n%s", path, got.body)
		}
	}
	for _, path := range []string{run, scheduled} {
		es := s.listen(t, path+"/events")
		v := es.must(t)
		if want, err := json.Marshal(before[path]["state"]); err != nil || v.name != "state" || !strings.Contains(v.data, `"state":`+string(want)) {
			t.Errorf("%s begins with %+v, %v", path, v, err)
		}
	}
	for _, path := range []string{gone, "/holds/nix", "/runs/nix", "/schedules/nix", "/schedules/nix/next"} {
		s.do(t, http.MethodGet, path, "").problem(t, http.StatusNotFound)
	}
	for path, method := range map[string]string{
		run + "/cancel": http.MethodPost, scheduled + "/pause": http.MethodPost, scheduled: http.MethodDelete,
		hold + "/confirm": http.MethodPost, hold: http.MethodDelete,
	} {
		s.do(t, method, path, "").problem(t, http.StatusServiceUnavailable)
	}
	s.nats.Restart(t)
	natstest.Eventually(t, "they are as old as nothing again", func() bool {
		return s.do(t, http.MethodGet, scheduled, "").ok(t, http.StatusOK).header.Get("Age") == ""
	})
}
