package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/store"
)

// TestATagIsOfTheContent: what others write meanwhile can't be counted by it.
func TestATagIsOfTheContent(t *testing.T) {
	t.Parallel()
	s, mine, theirs, _ := discreet(t)
	tagOf := func(cores int, header ...string) string {
		return s.do(t, http.MethodPut, "/oc/mine", sampleWorkflow("mine", cores), append(header, mine...)...).header.Get("ETag")
	}
	first := tagOf(8)
	for i := range 3 {
		s.do(t, http.MethodPut, fmt.Sprint("/oc/theirs-", i), sampleWorkflow(fmt.Sprint("theirs-", i), 8), theirs...).ok(t, http.StatusCreated)
	}
	if again := tagOf(8, "If-Match", first); again != first || len(first) < 20 {
		t.Errorf("of one content the tags are %s and %s", first, again)
	}
	other := tagOf(9, "If-Match", first)
	s.do(t, http.MethodGet, "/oc/mine", "", append([]string{"If-None-Match", other}, mine...)...).ok(t, http.StatusNotModified)
	s.do(t, http.MethodPut, "/oc/mine", sampleWorkflow("mine", 7), append([]string{"If-Match", first}, mine...)...).problem(t, http.StatusPreconditionFailed)
	if other == first {
		t.Errorf("of two contents the tag is %s", first)
	}
}

// TestAPlannerHasATagForEachReader whose body is another one; and where a place in a stream that all groups share would
// stand, it shows to those who see all groups alone.
func TestAPlannerHasATagForEachReader(t *testing.T) {
	t.Parallel()
	s, mine, theirs, operator := discreet(t)
	made := s.do(t, http.MethodPost, "/oc/wf-2/schedules", `{`+window+`}`, theirs...).ok(t, http.StatusCreated).json(t)
	taken := made["occurrences"].([]any)[0].(map[string]any)["bookings"].([]any)[0].(map[string]any)["id"].(string)
	s.planned(t, fmt.Appendf(nil, `{"peer_id":"peer-b","generated_at":"2026-11-30T00:00:00Z","capacities":{"cluster":{"i0":{"cores":64}}},"schedule":{"cluster":[{"start":"%[1]sT09:00:00Z","end":"%[1]sT10:00:00Z","instance_id":"i0","booking_id":%[2]q}]}}`,
		on(0), taken))
	s.enrol(t, "n1", store.Approved)
	get := func(path string, who []string, header ...string) answer {
		return s.do(t, http.MethodGet, path, "", append(header, who...)...)
	}
	his, hers, all := get("/planners/peer-b", mine), get("/planners/peer-b", theirs), get("/planners/peer-b", operator)
	for who, other := range map[*answer]answer{&his: hers, &hers: all, &all: his} {
		if who.header.Get("ETag") == other.header.Get("ETag") {
			t.Errorf("one tag for %s\nand %s", who.body, other.body)
		}
	}
	get("/planners/peer-b", mine, "If-None-Match", hers.header.Get("ETag")).ok(t, http.StatusOK)
	get("/planners/peer-b", mine, "If-None-Match", his.header.Get("ETag")).ok(t, http.StatusNotModified)
	for path, member := range map[string]string{"/planners/peer-b": "source_seq", "/nodes/n1": "last_node_sequence", "/nodes": "out_position"} {
		if got := string(get(path, mine).body); strings.Contains(got, member) {
			t.Errorf("%s counts what others do: %s", path, got)
		}
		if got := string(get(path, operator).body); !strings.Contains(got, member) {
			t.Errorf("%s, to an operator: %s", path, got)
		}
	}
}
