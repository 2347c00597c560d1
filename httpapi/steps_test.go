package httpapi_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// steps is a workflow of two steps of so many minutes, each of which needs all cores of peer-a.
func steps(first, second int) string {
	const compute = `"%s":{"compute":{"id":"cluster","peer_id":"peer-a","demand":{"cores":64}}}`
	return fmt.Sprintf(`{"id":"w","graph":{"items":{"a":{"processing":{"duration_s":%d}},"b":{"processing":{"duration_s":%d}},`+
		fmt.Sprintf(compute, "n1")+","+fmt.Sprintf(compute, "n2")+`},"links":[{"source":"a","destination":"b"},{"source":"a","destination":"n1"},{"source":"n2","destination":"b"}]}}`,
		first*60, second*60)
}

// parts are when the items of a result are needed, in minutes of the window.
func parts(t *testing.T, r map[string]any) (list []int) {
	t.Helper()
	at := func(v any) time.Time {
		moment, err := time.Parse(time.RFC3339Nano, v.(string))
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for _, item := range r["resources"].([]any) {
		for _, member := range []string{"start", "end"} {
			list = append(list, int(at(item.(map[string]any)[member]).Sub(at(r["start"])).Minutes()))
		}
	}
	return list
}

// TestStepsNarrowWhatIsNeeded, however it is asked for, also when the steps change.
func TestStepsNarrowWhatIsNeeded(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 64)
	s.do(t, http.MethodPut, "/oc/w", steps(10, 20)).ok(t, http.StatusCreated)
	const window = "?start=2026-12-01T09:00:00Z"
	conn := s.dial(t, "/oc/w/check"+window+"&duration=1h", nil)
	until(t, conn, "available")
	for query, want := range map[string][]int{"": {0, 10, 10, 30}, "&duration=1h": {0, 10, 10, 30}, "&duration=25m": {0, 10, 10, 25}} {
		r := decode(t, s.do(t, http.MethodGet, "/oc/w/check"+window+query, "").ok(t, http.StatusOK).body)
		if got := parts(t, r); r["status"] != "available" || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v: %v", query, got, want, r)
		}
		if warned := len(r["warnings"].([]any)) > 0; warned != (query == "&duration=25m") {
			t.Errorf("%q: warnings %v", query, r["warnings"])
		}
	}
	s.do(t, http.MethodPut, "/oc/w", steps(15, 20)).ok(t, http.StatusOK)
	if got, want := parts(t, receive(t, conn)), []int{0, 15, 15, 35}; !reflect.DeepEqual(got, want) {
		t.Errorf("after a change: %v, want %v", got, want)
	}
}

// TestBookingsShowInChecks on each carrier, with whose they are, and wake streams when they come and go.
func TestBookingsShowInChecks(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 64)
	s.do(t, http.MethodPut, "/oc/w", steps(10, 20)).ok(t, http.StatusCreated)
	start := time.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
	text := start.Format(time.RFC3339)
	query := "/oc/w/check?start=" + text
	conn := s.dial(t, query, nil)
	free := until(t, conn, "available")["version"]
	es := s.listen(t, query)
	if first := es.must(t); first.id != free {
		t.Fatalf("versions differ: %v, %+v", free, first)
	}
	taken := func(by map[string]any) {
		t.Helper()
		want := []any{map[string]any{
			"start": text, "end": start.Add(10 * time.Minute).Format(time.RFC3339), "dimension": "cores", "requested": 64.0, "free": 0.0, "by": []any{by},
		}}
		for carrier, r := range map[string]map[string]any{
			"WebSocket": receive(t, conn), "server-sent": decode(t, []byte(es.must(t).data)),
			"one-shot": s.do(t, http.MethodGet, query, "").ok(t, http.StatusOK).json(t),
		} {
			if got := r["resources"].([]any)[0].(map[string]any)["conflicts"]; r["status"] != "unavailable" || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %v", carrier, r, want)
			}
		}
	}
	bookings := booking.New(s.store, nil)
	body := func(kind schedule.Body, more string) schedule.Request {
		t.Helper()
		r, err := schedule.DecodeRequest(fmt.Appendf(nil, `{"start":%q%s}`, text, more), kind)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	hold, err := bookings.Hold(t.Context(), booking.Asked{WorkflowID: "w"}, body(schedule.HoldBody, `,"ttl_s":900`))
	if err != nil {
		t.Fatal(err)
	}
	taken(map[string]any{"hold_id": hold.ID})
	if err := bookings.ReleaseHold(t.Context(), hold.ID, "somebody"); err != nil {
		t.Fatal(err)
	}
	if r := receive(t, conn); r["version"] != free {
		t.Errorf("after the hold has ended: %v", r)
	}
	es.must(t)
	booked, err := bookings.Book(t.Context(), booking.Asked{WorkflowID: "w"}, body(schedule.ScheduleBody, ""))
	if err != nil {
		t.Fatal(err)
	}
	taken(map[string]any{"schedule_id": booked.ID})
	after := query + "&as_possible=true"
	if r := s.do(t, http.MethodGet, after, "").ok(t, http.StatusOK).json(t); r["status"] != "available" {
		t.Errorf("as soon as possible: %v", r)
	}
}
