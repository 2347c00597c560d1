package httpapi_test

import (
	"fmt"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	"oc-scheduler/store/planner"
)

// booked is what stands with peer-a.
type booked struct {
	changed func(peerID string)

	mu      sync.Mutex
	overlay *planner.Overlay
}

func (b *booked) Overlay(peerID string) *planner.Overlay {
	b.mu.Lock()
	defer b.mu.Unlock()
	if peerID != "peer-a" {
		return nil
	}
	return b.overlay
}

// put has an owner take cores of peer-a from a minute of the window until another.
func (b *booked) put(owner string, cores, from, until int) {
	nine := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	slot := planner.Slot{
		Interval: planner.Interval{Start: nine + int64(from)*int64(time.Minute), End: nine + int64(until)*int64(time.Minute)},
		Owner:    owner, Usage: []planner.Quantity{{Dimension: "cores", Amount: planner.Amount(cores) * planner.Unit}},
	}
	b.mu.Lock()
	b.overlay = b.overlay.With(planner.Ref{ResourceID: "cluster", InstanceID: "i0"}, "oc-"+owner, []planner.Slot{slot})
	b.mu.Unlock()
	b.changed("peer-a")
}

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

// TestBookingsShowInChecks on each carrier, with whose they are, and wake streams.
func TestBookingsShowInChecks(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 64)
	s.do(t, http.MethodPut, "/oc/w", steps(10, 20)).ok(t, http.StatusCreated)
	const query = "?start=2026-12-01T09:00:00Z&duration=1h"
	conn := s.dial(t, "/oc/w/check"+query, nil)
	free := until(t, conn, "available")["version"]
	es := s.listen(t, "/oc/w/check"+query)
	if first := es.must(t); first.id != free {
		t.Fatalf("versions differ: %v, %+v", free, first)
	}
	s.booked.put("s-1", 60, 30, 90) // while nothing is needed any more
	if r := receive(t, conn); r["status"] != "available" || r["version"] == free {
		t.Errorf("beside a booking of the tail: %v", r)
	}
	es.must(t)
	s.booked.put("h-1", 4, 5, 15)
	want := []any{map[string]any{
		"start": "2026-12-01T09:05:00Z", "end": "2026-12-01T09:10:00Z", "dimension": "cores", "requested": 64.0, "free": 60.0,
		"by": []any{map[string]any{"hold_id": "h-1"}},
	}}
	for carrier, r := range map[string]map[string]any{
		"WebSocket": receive(t, conn), "server-sent": decode(t, []byte(es.must(t).data)),
		"one-shot": decode(t, s.do(t, http.MethodGet, "/oc/w/check"+query, "").ok(t, http.StatusOK).body),
	} {
		if got := r["resources"].([]any)[0].(map[string]any)["conflicts"]; r["status"] != "unavailable" || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", carrier, r)
		}
	}
}
