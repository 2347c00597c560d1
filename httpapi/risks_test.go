package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
)

// TestWhatIsAtRiskIsTold to who lists schedules, has a page of them open or follows one, and when it is no more.
func TestWhatIsAtRiskIsTold(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	path := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`).ok(t, http.StatusCreated).header.Get("Location")
	list, page := s.newsOf(t, "/ui/workflows/wf-1"), s.newsOf(t, "/ui"+path)
	es := s.listen(t, path+"/events")
	_, seq := es.state(t, "active")
	const mark = ">at risk"
	for _, step := range []struct {
		cores int
		risk  bool
	}{{7, true}, {8, false}, {1, true}} {
		s.plan(t, "peer-a", step.cores)
		whole, again := es.state(t, "active")
		if o := whole["occurrences"].([]any)[0].(map[string]any); whole["at_risk"] != step.risk || o["at_risk"] != step.risk || again != seq {
			t.Errorf("with %d cores who follows is told %v", step.cores, whole)
		}
		for _, path := range []string{"/schedules", "/oc/wf-1/schedules"} {
			items := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)["items"].([]any)
			if len(items) != 1 || items[0].(map[string]any)["at_risk"] != step.risk {
				t.Errorf("with %d cores %s lists %v", step.cores, path, items)
			}
		}
		if step.risk {
			untilShows(t, list, mark)
			untilShows(t, page, mark)
			continue
		}
		natstest.Eventually(t, "the pages show that it is at risk no more", func() bool {
			return !strings.Contains(untilType(t, list, "view")["html"].(string), mark)
		})
		natstest.Eventually(t, "the pages show that it is at risk no more", func() bool {
			return !strings.Contains(untilType(t, page, "view")["html"].(string), mark)
		})
	}
	s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	if whole := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t); whole["at_risk"] != false {
		t.Errorf("what was cancelled is told as %v", whole)
	}
}
