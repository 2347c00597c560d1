package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/histories"
	"oc-scheduler/store/history"
	"oc-scheduler/store/tokens"
)

// state holds the next event to be how a thing stands, and returns that and the number of the last transition.
func (e *events) state(t *testing.T, state string) (whole map[string]any, seq int) {
	t.Helper()
	v := e.must(t)
	whole = decode(t, []byte(v.data))
	seq, err := strconv.Atoi(v.id)
	if err != nil || v.name != "state" || whole["state"] != state {
		t.Fatalf("the event is %+v, want how it stands: %s", v, state)
	}
	return whole, seq
}

// transition holds the next event to be the transition of a number.
func (e *events) transition(t *testing.T, seq int) map[string]any {
	t.Helper()
	v := e.must(t)
	item := decode(t, []byte(v.data))
	if v.name != "transition" || v.id != strconv.Itoa(seq) || item["seq"] != float64(seq) {
		t.Fatalf("the event is %+v, want transition %d", v, seq)
	}
	return item
}

// until holds what follows a number to be transitions without gaps to a state of the thing itself, and then the end.
func (e *events) until(t *testing.T, seq int, kind, state string) (items []map[string]any) {
	t.Helper()
	for {
		seq++
		item := e.transition(t, seq)
		items = append(items, item)
		if item["kind"] == kind && item["to"] == state {
			e.end(t)
			return items
		}
	}
}

// end holds the stream to be over.
func (e *events) end(t *testing.T) {
	t.Helper()
	if v, err := e.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last event: %+v, %v", v, err)
	}
}

// TestARunIsFollowed from how it stands to its end; who comes again is told what follows what he has.
func TestARunIsFollowed(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	path := s.begins(t, "wf-1", "wait", "running")
	es := s.listen(t, path+"/events")
	whole, seq := es.state(t, "running")
	if whole["workflow_id"] != "wf-1" || len(whole["steps"].([]any)) != 1 || whole["work"] != nil {
		t.Errorf("it stands as %v", whole)
	}
	unheard := s.listen(t, path+"/events", "Last-Event-ID", strconv.Itoa(seq+100))
	if _, is := unheard.state(t, "running"); is != seq {
		t.Errorf("who has what there has never been is told %d, want %d", is, seq)
	}
	again := s.listen(t, path+"/events", "Last-Event-ID", "1")
	for n := 2; n <= seq; n++ {
		again.transition(t, n)
	}
	s.do(t, http.MethodPost, path+"/cancel", `{"reason":"enough"}`).ok(t, http.StatusAccepted)
	told := es.until(t, seq, "run", "cancelled")
	unheard.until(t, seq, "run", "cancelled")
	again.until(t, seq, "run", "cancelled")

	all := s.listed(t, path+"/history")
	if !reflect.DeepEqual(told, all[seq:]) {
		t.Errorf("told was\n%v, history is\n%v", told, all[seq:])
	}
	if late := s.listen(t, path+"/events", "Last-Event-ID", "1").until(t, 1, "run", "cancelled"); !reflect.DeepEqual(late, all[1:]) {
		t.Errorf("who comes late is told\n%v, history is\n%v", late, all[1:])
	}
	over := s.listen(t, path+"/events")
	if _, is := over.state(t, "cancelled"); is != len(all) {
		t.Errorf("of what is over: %d, want %d", is, len(all))
	}
	over.end(t)
	s.do(t, http.MethodGet, path+"/events", "", "Last-Event-ID", strconv.Itoa(len(all))).ok(t, http.StatusNoContent)
	s.do(t, http.MethodGet, path+"/events", "", "Last-Event-ID", "x").problem(t, http.StatusUnprocessableEntity)
	s.do(t, http.MethodGet, path+"/events?from=1", "").problem(t, http.StatusUnprocessableEntity)
	s.do(t, http.MethodHead, path+"/events", "").ok(t, http.StatusOK)
}

// TestAScheduleIsFollowed with its occurrences.
func TestAScheduleIsFollowed(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	path := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`).ok(t, http.StatusCreated).header.Get("Location")
	es := s.listen(t, path+"/events")
	whole, seq := es.state(t, "active")
	if len(whole["occurrences"].([]any)) != 1 || whole["log"] != nil || seq != 2 {
		t.Errorf("it stands as %v, after %d transitions", whole, seq)
	}
	s.do(t, http.MethodPost, path+"/pause", "").ok(t, http.StatusOK)
	if paused := es.transition(t, 3); paused["kind"] != "schedule" || paused["from"] != "active" || paused["to"] != "paused" || paused["by"] != "anonymous" {
		t.Errorf("paused is %v", paused)
	}
	s.do(t, http.MethodDelete, path, "").ok(t, http.StatusNoContent)
	told := es.until(t, 3, "schedule", "cancelled")
	if len(told) != 2 || told[0]["kind"] != "occurrence" || told[0]["to"] != "cancelled" || told[0]["item_id"] == "" {
		t.Errorf("its end is %v", told)
	}
	s.do(t, http.MethodGet, path+"/events", "", "Last-Event-ID", "5").ok(t, http.StatusNoContent)
	hold := s.do(t, http.MethodPost, "/oc/wf-1/holds", `{`+window+`,"ttl_s":900}`).ok(t, http.StatusCreated).json(t)
	for _, unknown := range []any{"nix", hold["id"]} {
		s.do(t, http.MethodGet, fmt.Sprintf("/schedules/%v/events", unknown), "").problem(t, http.StatusNotFound)
	}
}

// TestWhatALogHasNoMoreIsTold from the history, and where that is gone, how the thing stands.
func TestWhatALogHasNoMoreIsTold(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	path := s.do(t, http.MethodPost, "/oc/wf-1/schedules", `{`+window+`}`).ok(t, http.StatusCreated).header.Get("Location")
	s.do(t, http.MethodPost, path+"/pause", "").ok(t, http.StatusOK)
	s.do(t, http.MethodPost, path+"/resume", "").ok(t, http.StatusOK)
	name := strings.TrimPrefix(path, "/schedules/")
	natstest.Eventually(t, "all is passed on", func() bool {
		last, err := s.parts.Past.Last(t.Context(), history.OfSchedule, name)
		return err == nil && last.Seq == 4
	})
	r, revision, err := s.parts.Plan.Schedule(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	r.Log = slices.Clone(r.Log[3:])
	if err := s.parts.Plan.Replace(t.Context(), &r, revision); err != nil {
		t.Fatal(err)
	}
	kept := s.listen(t, path+"/events", "Last-Event-ID", "1")
	for seq := 2; seq <= 4; seq++ {
		kept.transition(t, seq)
	}
	stream, err := s.js.Stream(t.Context(), histories.Stream)
	if err == nil {
		err = stream.Purge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	lost := s.listen(t, path+"/events", "Last-Event-ID", "1")
	if _, seq := lost.state(t, "active"); seq != 4 {
		t.Errorf("of what is not kept: %d", seq)
	}
	s.do(t, http.MethodPost, path+"/pause", "").ok(t, http.StatusOK)
	kept.transition(t, 5)
	lost.transition(t, 5)
}

// TestWhoFollows sees it, and for as long as he may.
func TestWhoFollows(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	mine, theirs := s.as(t, access.User, "mine"), s.as(t, access.User, "theirs")
	run := s.begins(t, "wf-1", "wait", "running", "Authorization", mine)
	whole := s.do(t, http.MethodGet, run, "", "Authorization", mine).ok(t, http.StatusOK).json(t)
	schedule := fmt.Sprintf("/schedules/%v", whole["schedule_id"])
	tokenID, bearer := s.token(t, tokens.Draft{Role: access.Viewer, Groups: []string{"mine"}})
	var revoked, drained []*events
	for _, path := range []string{run + "/events", schedule + "/events"} {
		s.do(t, http.MethodGet, path, "", "Authorization", theirs).problem(t, http.StatusNotFound)
		revoked = append(revoked, s.listen(t, path, "Authorization", bearer))
		drained = append(drained, s.listen(t, path, "Authorization", mine))
	}
	for i := range revoked {
		revoked[i].must(t)
		drained[i].must(t)
	}
	s.do(t, http.MethodDelete, "/tokens/"+tokenID, "", "Authorization", s.as(t, access.Admin)).ok(t, http.StatusNoContent)
	for _, es := range revoked {
		es.dismissed(t)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	for _, es := range drained {
		es.end(t)
	}
}
