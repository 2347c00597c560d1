package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
)

// discreet is a guarded site with a workflow of each of two groups on one instance, which holds one of them.
func discreet(t *testing.T) (s *site, mine, theirs, operator []string) {
	t.Helper()
	s = newSite(t, guarded())
	s.plan(t, "peer-a", 10)
	mine, theirs = []string{"Authorization", s.as(t, access.User, "mine")}, []string{"Authorization", s.as(t, access.User, "theirs")}
	operator = []string{"Authorization", s.as(t, access.Operator)}
	s.do(t, http.MethodPut, "/oc/wf-1", commanded("wf-1", "wait"), mine...).ok(t, http.StatusCreated)
	s.do(t, http.MethodPut, "/oc/wf-2", sampleWorkflow("wf-2", 8), theirs...).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	return s, mine, theirs, operator
}

// TestWhoDisplacesIsNotNamed to those who have to give way: not in what became of a run, waiting or under way, nor of
// its schedule. Operators know.
func TestWhoDisplacesIsNotNamed(t *testing.T) {
	t.Parallel()
	s, mine, theirs, operator := discreet(t)
	displacer := s.do(t, http.MethodGet, "/whoami", "", theirs...).ok(t, http.StatusOK).json(t)["subject"].(string)
	under := s.do(t, http.MethodPost, "/oc/wf-1/runs", `{"preemptible":true}`, mine...).ok(t, http.StatusCreated).header.Get("Location")
	natstest.Eventually(t, "it runs", func() bool {
		return s.do(t, http.MethodGet, under, "", mine...).ok(t, http.StatusOK).json(t)["state"] == "running"
	})
	waits := s.do(t, http.MethodPost, "/oc/wf-1/runs", `{"start":"`+on(0)+`T09:00:00Z","preemptible":true}`, mine...).ok(t, http.StatusCreated).header.Get("Location")
	booked := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{"start":"`+on(1)+`T09:00:00Z","preemptible":true}`, mine...).ok(t, http.StatusCreated).header.Get("Location")
	paths := map[string]string{booked: "schedule", under: "run", waits: "run"}
	paths[fmt.Sprintf("/schedules/%v", s.do(t, http.MethodGet, waits, "", mine...).ok(t, http.StatusOK).json(t)["schedule_id"])] = "schedule"
	for _, question := range []string{`{"duration_s":60,"preemption":true}`, `{"start":"` + on(0) + `T09:10:00Z","duration_s":60,"preemption":true}`, `{"start":"` + on(1) + `T09:10:00Z","duration_s":60,"preemption":true}`} {
		s.do(t, http.MethodPost, "/oc/wf-2/schedules", question, theirs...).ok(t, http.StatusCreated)
	}
	for path, kind := range paths {
		natstest.Eventually(t, path+" has ended", func() bool {
			state := s.do(t, http.MethodGet, path, "", mine...).ok(t, http.StatusOK).json(t)["state"]
			return state == "cancelled" || state == "ended"
		})
		for _, who := range [][]string{mine, operator} {
			es := s.listen(t, path+"/events", append([]string{"Last-Event-ID", "1"}, who...)...)
			named, displaced := false, false
			for v, err := es.next(); err == nil; v, err = es.next() {
				named = named || strings.Contains(v.data, displacer)
				displaced = displaced || strings.Contains(v.data, `"displaced: `)
			}
			if !displaced || named != (&who[0] == &operator[0]) {
				t.Errorf("the events of %s: displaced %v, named %v", path, displaced, named)
			}
		}
		if kind == "run" {
			for _, tell := range []string{path + "/history", "/ui" + path} {
				if got := string(s.do(t, http.MethodGet, tell, "", mine...).ok(t, http.StatusOK).body); strings.Contains(got, displacer) || !strings.Contains(got, "displaced: ") {
					t.Errorf("%s: %s", tell, got)
				}
				if got := string(s.do(t, http.MethodGet, tell, "", operator...).ok(t, http.StatusOK).body); !strings.Contains(got, displacer) {
					t.Errorf("%s, to an operator: %s", tell, got)
				}
			}
		}
	}
}

// TestIDsOfOtherGroupsBookingsDoNotShow in planners and offers, which have them from nodes.
func TestIDsOfOtherGroupsBookingsDoNotShow(t *testing.T) {
	t.Parallel()
	s, mine, theirs, operator := discreet(t)
	made := s.do(t, http.MethodPost, "/oc/wf-2/schedules", `{`+window+`}`, theirs...).ok(t, http.StatusCreated).json(t)
	taken := made["occurrences"].([]any)[0].(map[string]any)["bookings"].([]any)[0].(map[string]any)["id"].(string)
	slot := `{"start":"` + on(0) + `T09:00:00Z","end":"` + on(0) + `T10:00:00Z","instance_id":"i0","booking_id":%q}`
	schedule := fmt.Sprintf(`"schedule":{"cluster":[`+slot+`,`+slot+`]}`, taken, "b-1")
	const capacities = `"capacities":{"cluster":{"i0":{"cores":64}}}`
	s.planned(t, []byte(`{"peer_id":"peer-b","generated_at":"2026-11-30T00:00:00Z",`+capacities+`,`+schedule+`}`))
	s.enrol(t, "n1", store.Approved)
	s.offers(t, "n1", `{`+capacities+`,`+schedule+`}`)
	for _, path := range []string{"/planners/peer-b", "/nodes/n1"} {
		for who, shows := range map[*string]bool{&mine[1]: false, &theirs[1]: true, &operator[1]: true} {
			got := string(s.do(t, http.MethodGet, path, "", "Authorization", *who).ok(t, http.StatusOK).body)
			if strings.Contains(got, taken) != shows || !strings.Contains(got, `"b-1"`) || strings.Count(got, `"booking_id"`) != 2 {
				t.Errorf("%s, where it shows is %v: %s", path, shows, got)
			}
		}
	}
}
