package booking_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
	"oc-scheduler/store/workflow"
)

var nine = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func TestRequestForms(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		json, query string
		want        booking.Request
	}{
		"nothing": {`{}`, "", booking.Request{}},
		"all": {
			`{"start":"2026-12-01T10:00:00+01:00","duration_s":3600,"booking_mode":"planned","as_possible":false,"preemption":true,"selected_instances":{"gpu":"i1","p/gpu":"i2"}}`,
			"start=2026-12-01T10:00:00%2B01:00&duration=1h&booking_mode=planned&as_possible=false&preemption=true&selected_instances=gpu:i1&selected_instances=p/gpu:i2",
			booking.Request{Start: nine, Duration: time.Hour, Preemption: true, Selected: map[string]string{"gpu": "i1", "p/gpu": "i2"}},
		},
		"end":             {`{"end":"2026-12-01T09:00:00Z"}`, "end=2026-12-01T09:00:00Z", booking.Request{End: nine}},
		"leap second":     {`{"end":"2026-12-31T23:59:60.5Z"}`, "end=2026-12-31t15:59:60.500-08:00", booking.Request{End: time.Date(2027, 1, 1, 0, 0, 0, 500_000_000, time.UTC)}},
		"fraction":        {`{"duration_s":0.000000001}`, "duration_s=0.000000001", booking.Request{Duration: 1}},
		"power":           {`{"duration_s":36e2}`, "duration_s=36e2", booking.Request{Duration: time.Hour}},
		"longest":         {`{"duration_s":9e9}`, "duration=2500000h", booking.Request{Duration: 2_500_000 * time.Hour}},
		"preempted":       {`{"booking_mode":"preempted","preemption":false}`, "booking_mode=preempted", booking.Request{Preemption: true}},
		"when possible":   {`{"booking_mode":"when_possible"}`, "booking_mode=when_possible", booking.Request{AsPossible: true}},
		"null is absent":  {`{"start":null,"selected_instances":null}`, "", booking.Request{}},
		"colon in the id": {`{"selected_instances":{"urn:x:gpu":"i"}}`, "selected_instances=urn:x:gpu:i", booking.Request{Selected: map[string]string{"urn:x:gpu": "i"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := booking.DecodeRequest([]byte(tc.json))
			if err != nil || fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("DecodeRequest = %+v, %v, want %+v", got, err, tc.want)
			}
			values, err := url.ParseQuery(tc.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err = booking.ParseQuery(values)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("ParseQuery = %+v, %v, want %+v", got, err, tc.want)
			}
		})
	}
}

func TestRequestFaults(t *testing.T) {
	t.Parallel()
	for input, paths := range map[string]string{
		`{"strat":"2026-12-01T09:00:00Z"}`:                              "$.strat",
		`{"start":"tomorrow","end":5}`:                                  "$.start $.end",
		`{"start":"0001-01-01T00:00:00Z"}`:                              "$.start",
		`{"start":"9999-01-01T00:00:00Z"}`:                              "$.start",
		`{"duration_s":0}`:                                              "$.duration_s",
		`{"duration_s":-1}`:                                             "$.duration_s",
		`{"duration_s":1e300}`:                                          "$.duration_s",
		`{"duration_s":"3600"}`:                                         "$.duration_s",
		`{"duration_s":1,"end":"2026-12-01T09:00:00Z"}`:                 "$.end",
		`{"booking_mode":"later","as_possible":1}`:                      "$.booking_mode $.as_possible",
		`{"selected_instances":{"gpu":"","":"i","x":3}}`:                "$.selected_instances.gpu $.selected_instances[''] $.selected_instances.x",
		`{"selected_instances":["gpu:i1"]}`:                             "$.selected_instances",
		`[]`:                                                            "$",
		`null`:                                                          "$",
		"?strat=1&wait=5s":                                              "$.strat",
		"?start=a&start=b":                                              "$.start",
		"?duration=1h&duration_s=5":                                     "$.duration_s",
		"?duration=soon&preemption=maybe":                               "$.duration $.preemption",
		"?duration_s=1m30":                                              "$.duration_s",
		"?duration_s=NaN":                                               "$.duration_s",
		"?duration_s=Inf":                                               "$.duration_s",
		"?duration_s=0x10p0&start=2026-12-01T9:00:00Z":                  "$.duration_s $.start",
		"?duration_s=1_000&start=2026-12-01T09:00:00,5Z":                "$.duration_s $.start",
		"?duration_s=%2B1&start=2026-12-01T24:00:00Z":                   "$.duration_s $.start",
		"?duration=%2B1h&start=2026-12-01T09:00:00":                     "$.duration $.start",
		`{"start":"2026-12-01T09:00:00.1234567890Z"}`:                   "$.start",
		"?selected_instances=gpu":                                       "$.selected_instances",
		"?selected_instances=gpu:i&selected_instances=gpu:j&end=&":      "$.end $.selected_instances",
		"?selected_instances=" + strings.Repeat("x", 129) + ":i":        "$.selected_instances",
		"?selected_instances=" + strings.Repeat("x", 128) + "/y:i&as=1": "$.as",
	} {
		t.Run(input, func(t *testing.T) {
			t.Parallel()
			var err error
			if query, ok := strings.CutPrefix(input, "?"); ok {
				values, perr := url.ParseQuery(query)
				if perr != nil {
					t.Fatal(perr)
				}
				_, err = booking.ParseQuery(values, "wait")
			} else {
				_, err = booking.DecodeRequest([]byte(input))
			}
			if got := pathsOf(err); got != paths {
				t.Errorf("faults at %q, want %q: %v", got, paths, err)
			}
		})
	}
}

func pathsOf(err error) string {
	var list fault.List
	if !errors.As(err, &list) {
		return fmt.Sprintf("no fault list: %v", err)
	}
	var paths []string
	for _, f := range list {
		paths = append(paths, f.Path)
	}
	return strings.Join(paths, " ")
}

func TestNotJSON(t *testing.T) {
	t.Parallel()
	for _, input := range []string{"", "{", `{"start":}`, `{} {}`, "{}x", "\xff", "nul"} {
		if _, err := booking.DecodeRequest([]byte(input)); !errors.Is(err, strictjson.ErrNotJSON) {
			t.Errorf("%q: %v", input, err)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	plain := decodeWorkflow(t, `{"id":"w","graph":{"items":{}}}`)
	lasting := decodeWorkflow(t, `{"id":"w","graph":{"items":{"a":{"processing":{"id":"a","duration_s":60}},"b":{"processing":{"id":"b","duration_s":30}}},"links":[{"source":"a","destination":"b"}]}}`)
	now := nine.Add(1) // rounds up to nine and one second
	second := nine.Add(time.Second)
	for name, tc := range map[string]struct {
		w                *workflow.Workflow
		r                booking.Request
		start, end, from time.Time
		fault            string
	}{
		"given":               {plain, booking.Request{Start: nine, Duration: time.Hour}, nine, nine.Add(time.Hour), nine, ""},
		"now":                 {plain, booking.Request{Duration: time.Hour}, second, second.Add(time.Hour), second, ""},
		"end":                 {plain, booking.Request{Start: nine, End: nine.Add(time.Minute)}, nine, nine.Add(time.Minute), nine, ""},
		"as possible":         {plain, booking.Request{Start: nine.Add(time.Hour), Duration: 1, AsPossible: true}, nine.Add(time.Hour), nine.Add(time.Hour + 1), second, ""},
		"the workflow's own":  {lasting, booking.Request{Start: nine}, nine, nine.Add(90 * time.Second), nine, ""},
		"past":                {plain, booking.Request{Start: nine.AddDate(-200, 0, 0), Duration: 1}, nine.AddDate(-200, 0, 0), nine.AddDate(-200, 0, 0).Add(1), nine.AddDate(-200, 0, 0), ""},
		"no length":           {plain, booking.Request{Start: nine}, nine, nine, nine, "$.duration_s"},
		"reversed":            {plain, booking.Request{Start: nine, End: nine}, nine, nine, nine, "$.end"},
		"too long":            {plain, booking.Request{Start: time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC), End: nine}, nine, nine, nine, "$.end"},
		"long, in the past":   {plain, booking.Request{Start: nine.AddDate(-200, 0, 0), Duration: 1000 * 24 * time.Hour}, nine.AddDate(-200, 0, 0), nine.AddDate(-200, 0, 0).Add(1000 * 24 * time.Hour), nine.AddDate(-200, 0, 0), ""},
		"ends at the horizon": {plain, booking.Request{Start: now, End: now.Add(booking.Horizon)}, now, now.Add(booking.Horizon), now, ""},
		"ends beyond":         {plain, booking.Request{Start: now, End: now.Add(booking.Horizon + 1)}, now, now, now, "$"},
		"far future":          {plain, booking.Request{Start: time.Date(2260, 12, 31, 0, 0, 0, 0, time.UTC), Duration: booking.Horizon}, nine, nine, nine, "$"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.r.Resolve(tc.w, now)
			if tc.fault != "" {
				if paths := pathsOf(err); paths != tc.fault {
					t.Errorf("faults at %q: %v", paths, err)
				}
				return
			}
			if err != nil || got.Start != tc.start.UnixNano() || got.End != tc.end.UnixNano() || got.From != tc.from.UnixNano() {
				t.Errorf("Resolve = %+v, %v", got, err)
			}
		})
	}
}

func decodeWorkflow(t *testing.T, text string) *workflow.Workflow {
	t.Helper()
	w, err := workflow.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func FuzzDecodeRequest(f *testing.F) {
	f.Add([]byte(`{"start":"2026-12-01T09:00:00Z","duration_s":3600,"selected_instances":{"a":"b"}}`))
	f.Add([]byte(`{"duration_s":1e-9}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := booking.DecodeRequest(data)
		if err != nil {
			var list fault.List
			if !errors.Is(err, strictjson.ErrNotJSON) && !errors.As(err, &list) {
				t.Errorf("neither ErrNotJSON nor faults: %v", err)
			}
			return
		}
		if r.Duration < 0 || r.Duration != 0 && !r.End.IsZero() {
			t.Errorf("accepted %+v", r)
		}
	})
}
