package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/plan"
)

// keyed posts with an Idempotency-Key.
func (s *site) keyed(t *testing.T, path, body, key string, header ...string) answer {
	t.Helper()
	return s.do(t, http.MethodPost, path, body, append(header, "Idempotency-Key", key)...)
}

// TestARepeatedRequest is answered as the first was, for each kind of request, and does nothing again.
func TestARepeatedRequest(t *testing.T) {
	t.Parallel()
	s := startable(t)
	same := func(path, body string, status int) answer {
		t.Helper()
		first := s.keyed(t, path, body, "k 1").ok(t, status)
		second := s.keyed(t, path, body, "k 1").ok(t, status)
		if !bytes.Equal(first.body, second.body) || first.header.Get("Location") != second.header.Get("Location") {
			t.Errorf("%s: first %s\nat %q, then %s\nat %q", path, first.body, first.header.Get("Location"), second.body, second.header.Get("Location"))
		}
		return first
	}
	const at = `{"start":"%sT09:00:00Z","duration_s":3600%s}`
	booked := same("/oc/wf-1/schedules", fmt.Sprintf(at, on(0), ""), http.StatusCreated).header.Get("Location")
	held := same("/oc/wf-1/holds", fmt.Sprintf(at, on(1), `,"ttl_s":900`), http.StatusCreated).header.Get("Location")
	confirmed := same(held+"/confirm", "", http.StatusCreated)
	run := same("/oc/wf-1/runs", fmt.Sprintf(at, on(3), ""), http.StatusCreated).header.Get("Location")
	same(run+"/cancel", `{"reason":"enough"}`, http.StatusAccepted)
	same(booked+"/pause", "", http.StatusOK)
	same(booked+"/resume", "", http.StatusOK)
	if items := s.listed(t, "/schedules"); len(items) != 3 {
		t.Errorf("%d schedules: %v", len(items), items)
	}
	s.do(t, http.MethodDelete, confirmed.header.Get("Location"), "").ok(t, http.StatusNoContent)
	if again := s.keyed(t, held+"/confirm", "", "k 1").ok(t, http.StatusCreated); !bytes.Equal(again.body, confirmed.body) {
		t.Errorf("what was made has changed since, and the answer with it: %s", again.body)
	}
	s.keyed(t, "/oc/wf-1/schedules", fmt.Sprintf(at, on(4), ""), "k 1").problem(t, http.StatusUnprocessableEntity)
	s.keyed(t, "/oc/wf-1/schedules", fmt.Sprintf(at, on(0), ""), "k 2").problem(t, http.StatusConflict)
	for _, bad := range []string{"", strings.Repeat("k", 129)} {
		s.keyed(t, "/oc/wf-1/schedules", "{}", bad).problem(t, http.StatusUnprocessableEntity)
	}
	s.keyed(t, "/oc/wf-1/schedules", fmt.Sprintf(at, on(4), ""), strings.Repeat("k", 128)).ok(t, http.StatusCreated)
}

// TestARefusalIsNotKept: the same request may succeed later, and so may a better one with its key.
func TestARefusalIsNotKept(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	standing := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`).ok(t, http.StatusCreated).header.Get("Location")
	s.keyed(t, "/oc/wf-1/schedules", `{`+window+`,"x":1}`, "k").problem(t, http.StatusUnprocessableEntity)
	s.keyed(t, "/oc/wf-1/schedules", `{`+window+`}`, "k").problem(t, http.StatusConflict)
	s.do(t, http.MethodDelete, standing, "").ok(t, http.StatusNoContent)
	made := s.keyed(t, "/oc/wf-1/schedules", `{`+window+`}`, "k").ok(t, http.StatusCreated)
	if again := s.keyed(t, "/oc/wf-1/schedules", `{`+window+`}`, "k").ok(t, http.StatusCreated); !bytes.Equal(again.body, made.body) {
		t.Errorf("%s, then %s", made.body, again.body)
	}
}

// TestAnAnswerIsItsSubjects, and only while what it tells of is there for him.
func TestAnAnswerIsItsSubjects(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.plan(t, "peer-a", 20)
	mine, other, operator := s.as(t, access.User, "mine"), s.as(t, access.User, "mine"), s.as(t, access.Operator)
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), "Authorization", mine).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	post := func(bearer string) answer {
		return s.keyed(t, "/oc/wf-1/schedules", `{`+window+`}`, "k", "Authorization", bearer)
	}
	first, second := post(mine).ok(t, http.StatusCreated), post(other).ok(t, http.StatusCreated)
	if first.json(t)["id"] == second.json(t)["id"] {
		t.Error("two people have one answer")
	}
	s.do(t, http.MethodPut, "/oc/wf-1?group=theirs", sampleWorkflow("wf-1", 8), "Authorization", operator).ok(t, http.StatusOK)
	post(mine).problem(t, http.StatusNotFound)
}

// TestARequestInProgress has others with its key wait.
func TestARequestInProgress(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	body := `{` + window + `,"wait_s":20}`
	first := make(chan answer, 1)
	go func() { first <- s.keyed(t, "/oc/wf-1/schedules", body, "k") }()
	natstest.Eventually(t, "it is claimed", func() bool {
		stream, err := s.js.Stream(t.Context(), s.store.Plan.Stream().Name())
		if err != nil {
			return false
		}
		info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter(plan.Idempotency.Filter()))
		return err == nil && len(info.State.Subjects) == 1
	})
	s.keyed(t, "/oc/wf-1/schedules", body, "k").problem(t, http.StatusConflict)
	if got := s.keyed(t, "/oc/wf-1/schedules", body, "k"); got.header.Get("Retry-After") != "1" {
		t.Errorf("told to come again after %q", got.header.Get("Retry-After"))
	}
	s.plan(t, "peer-a", 10)
	made := (<-first).ok(t, http.StatusCreated)
	if again := s.keyed(t, "/oc/wf-1/schedules", body, "k").ok(t, http.StatusCreated); !bytes.Equal(again.body, made.body) {
		t.Errorf("%s, then %s", made.body, again.body)
	}
}

// TestAPreviewKeepsNoKey: it changes nothing, so nothing is kept of it, whoever asks with however many keys.
func TestAPreviewKeepsNoKey(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.plan(t, "peer-a", 20)
	operator, viewer := s.as(t, access.Operator), s.as(t, access.Viewer)
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), "Authorization", operator).ok(t, http.StatusCreated)
	for i, key := range []string{"k", "k", "", strings.Repeat("k", 129)} {
		body := fmt.Sprintf(`{"start":"%sT09:00:00Z","duration_s":3600}`, on(i))
		s.keyed(t, "/oc/wf-1/preview", body, key, "Authorization", viewer).ok(t, http.StatusOK)
	}
	if keys := s.keys(t); keys != 0 {
		t.Errorf("%d keys are kept", keys)
	}
}

// keys is how many of Idempotency-Key there is something of.
func (s *site) keys(t *testing.T) int {
	t.Helper()
	stream, err := s.js.Stream(t.Context(), s.store.Plan.Stream().Name())
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter(plan.Idempotency.Filter()))
	if err != nil {
		t.Fatal(err)
	}
	return len(info.State.Subjects)
}

// TestARefusalLeavesNoKey: what is refused for what it says is so before a key is claimed.
func TestARefusalLeavesNoKey(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	for path, body := range map[string]string{
		"/oc/wf-1/schedules": `{"x":1}`, "/oc/wf-1/holds": `{`, "/oc/wf-1/runs": `[]`, "/holds/h-none/confirm": `{"x":1}`, "/runs/r-none/cancel": `{"x":1}`,
	} {
		if got := s.keyed(t, path, body, "k"); got.status < 400 || got.status >= 500 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
		if keys := s.keys(t); keys != 0 {
			t.Fatalf("%s leaves a key", path)
		}
	}
}
