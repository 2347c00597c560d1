package planner_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/planner"
)

var update = flag.Bool("update", false, "write golden files anew")

const fixtures = "../../testdata/planners/"

func fixture(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(fixtures + name)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// TestFaults: all that is wrong is told at once, each with its place.
func TestFaults(t *testing.T) {
	t.Parallel()
	p, err := planner.Decode(fixture(t, "faulty.json"), nil)
	var faults fault.List
	if !errors.As(err, &faults) || p != nil {
		t.Fatalf("Decode = %v, %v", p, err)
	}
	got, err := json.MarshalIndent(faults, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(fixtures+"faulty.faults.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := fixture(t, "faulty.faults.json"); !bytes.Equal(got, want) {
		t.Errorf("faults:\n%s\nwant:\n%s", got, want)
	}
}

func TestNoPlannerAtAll(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]fault.Fault{
		``:                                       {Path: "$", Message: "the JSON text ends too early"},
		`{"peer_id":"p"`:                         {Path: "$", Message: "the JSON text ends too early"},
		`null`:                                   {Path: "$", Message: "must be an object, not null"},
		`[]`:                                     {Path: "$", Message: "must be an object, not an array"},
		`{}`:                                     {Path: "$", Message: "peer_id is missing"},
		`{"peer_id":null}`:                       {Path: "$.peer_id", Message: "must be a string, not null"},
		`{"peer_id":"a","peer_id":"b"}`:          {Path: "$", Message: `member "peer_id" is there twice`},
		`{"x":{"y":1,"\u0079":2}}`:               {Path: "$", Message: `member "y" is there twice`},
		valid + `{}`:                             {Path: "$", Message: "not valid JSON: more than one JSON value"},
		valid + `x`:                              {Path: "$", Message: "not valid JSON: invalid character 'x' at start of value after offset 53"},
		`{"peer_id":"` + "\xff" + `"}`:           {Path: "$", Message: `not valid JSON: invalid UTF-8 within "/peer_id" after offset 12`},
		strings.Repeat(`{"a":`, 20_000):          {Path: "$", Message: "not valid JSON: exceeded max depth"},
		with(`"capacities":{"r":{},"r":{}}`):     {Path: "$", Message: `member "r" is there twice`},
		with(`"capacities":{"r":{"i":{"a":1e}}`): {Path: "$", Message: "not valid JSON: invalid character '}' in number (expecting digit)"},
		`{"peer_id":"p\u0000","generated_at":"2026-12-01T06:00:00Z"}`: {Path: "$.peer_id", Message: "invalid id: control character U+0000 at byte 1"},
	} {
		_, err := planner.Decode([]byte(data), nil)
		var faults fault.List
		if !errors.As(err, &faults) {
			t.Errorf("Decode(%.60q) = %v", data, err)
			continue
		}
		if got := faults[len(faults)-1]; got != want && faults[0] != want && !strings.HasPrefix(got.Message, want.Message) {
			t.Errorf("Decode(%.60q) = %v, want %v", data, faults, want)
		}
	}
}

const valid = `{"peer_id":"p","generated_at":"2026-12-01T06:00:00Z"}`

// with is a planner with more members.
func with(members string) string { return valid[:len(valid)-1] + "," + members + "}" }

// booked is a planner of resources r (instances i, j with 4 of ram each) and s (none) with slots on r.
func booked(slots ...string) string {
	return with(`"capacities":{"r":{"j":{"ram":4},"i":{"ram":4}},"s":null},"schedule":{"r":[` + strings.Join(slots, ",") + `],"s":null}`)
}

func slot(start, end, more string) string {
	return `{"start":"2026-12-01T` + start + `","end":"2026-12-01T` + end + `"` + more + `}`
}

func TestHead(t *testing.T) {
	t.Parallel()
	p := mustDecode(t, []byte(`{"peer_id":"p\u00e9","generated_at":"2026-12-01T08:00:00.123456789+02:00"}`))
	if p.PeerID() != "pé" || p.GeneratedAt() != time.Date(2026, 12, 1, 6, 0, 0, 123456789, time.UTC) {
		t.Errorf("planner of %s at %s", p.PeerID(), p.GeneratedAt())
	}
	if resources, slots := p.Counts(); resources != 0 || slots != 0 || p.Warnings() != nil {
		t.Errorf("%d resources, %d slots, %v", resources, slots, p.Warnings())
	}
}

// TestSlots: what slots on i and j make of the use of ram, as use on i, then on j, in the morning.
func TestSlots(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		slots string
		count int
		i, j  planner.Amount
	}{
		"none":                       {``, 0, 0, 0},
		"one":                        {slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i","usage":{"ram":1}`), 1, 1000, 0},
		"rounded up":                 {slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i","usage":{"ram":0.0001}`), 1, 1, 0},
		"other dimension":            {slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i","usage":{"tea":1}`), 1, 0, 0},
		"nothing":                    {slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i","usage":{}`), 1, 0, 0},
		"without usage":              {slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i"`), 1, 4000, 0},
		"null usage":                 {slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i","usage":null`), 1, 4000, 0},
		"without instance":           {slot("08:00:00Z", "09:00:00Z", `,"usage":{"ram":2}`), 1, 2000, 2000},
		"null instance":              {slot("08:00:00Z", "09:00:00Z", `,"instance_id":null`), 1, 4000, 4000},
		"no length":                  {slot("08:00:00Z", "08:00:00Z", `,"instance_id":"i"`), 0, 0, 0},
		"one nanosecond":             {slot("08:00:00Z", "08:00:00.000000001Z", ``), 1, 4000, 4000},
		"other offset":               {slot("12:30:00+05:30", "13:30:00+05:30", ``), 1, 0, 0}, // 7 to 8 o'clock
		"unknown members":            {slot("08:00:00Z", "09:00:00Z", `,"instance_id":"j","x":[{"usage":1}],"booking_id":7`), 1, 0, 4000},
		"overlapping, more than all": {slot("08:00:00Z", "09:00:00Z", `,"usage":{"ram":3}`) + "," + slot("07:30:00Z", "10:00:00Z", ``), 2, 7000, 7000},
		"unknown instance":           {slot("08:00:00Z", "09:00:00Z", `,"instance_id":"k"`), 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := mustDecode(t, []byte(booked(c.slots)))
			if _, n := p.Counts(); n != c.count {
				t.Errorf("%d slots, want %d", n, c.count)
			}
			start := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC).UnixNano()
			instances := planner.NewIndex(p).Resource("r").Instances()
			for k, want := range []planner.Amount{c.i, c.j} {
				if got := instances[k].Timeline("ram").MaxUse(start, start+int64(time.Hour)); got != want {
					t.Errorf("use of instance %s = %d, want %d", instances[k].ID(), got, want)
				}
			}
		})
	}
}

func TestCapacities(t *testing.T) {
	t.Parallel()
	x := planner.NewIndex(mustDecode(t, []byte(with(`"capacities":{"r":{"b":{"cpu":{"x":1.0009,"a":2},"ram":0},"a":null},"s":{}}`))))
	instances := x.Resource("r").Instances()
	if len(instances) != 2 || instances[0].ID() != "a" || instances[1].ID() != "b" {
		t.Fatalf("instances = %v", instances)
	}
	for dim, want := range map[string]planner.Amount{"cpu.x": 1000, "cpu.a": 2000, "ram": 0, "cpu": 0, "tea": 0} {
		if a, b := instances[0].Capacity(dim), instances[1].Capacity(dim); a != 0 || b != want {
			t.Errorf("capacities of %s = %d, %d", dim, a, b)
		}
	}
	if s := x.Resource("s"); s == nil || len(s.Instances()) != 0 {
		t.Errorf("resource without instances = %v", s)
	}
	if x.Resource("t") != nil {
		t.Error("an unknown resource is known")
	}
}

func TestTimesAtTheEdge(t *testing.T) {
	t.Parallel()
	for end, ok := range map[string]bool{
		"2262-04-11T23:47:16.854775806Z": true, "2262-04-11T23:47:16.854775807Z": false, "2262-04-12T00:00:00Z": false,
		"2026-12-01T08:00:00.1234567890Z": false, "2026-12-01T08:00:00.1234567890+01:00": false, "2026-12-01T08:00:00.123456789+01:00": true,
		"2026-12-01T08:00:00.1234567+01:00": true, "2026-12-01T08:00:00.1234+01:00": true, "2026-12-01T08:00:00.12345678-05:45": true,
		"2026-12-01t08:00:00z": true, "2026-12-31T23:59:60Z": true, "2026-12-01 08:00:00Z": false, "2026-12-01T08:00:00,5Z": false, "2026-12-01T08:00:60Z": false, "2026-12-01T08:00:00": false,
		"2026-12-01T24:00:00Z": false, "2026-12-01T08:00:00+24:00": false, "2026-12-01T08:00:00-01:60": false, "2026-12-01T08:00:00+0100": false, "2026-12-01T08:00:00-23:59": true, "2026-02-29T08:00:00Z": false, "2026-12-01T8:00:00Z": false, "2026-12-01": false, "": false,
	} {
		data := booked(`{"start":"1677-09-21T00:12:43.145224193Z","end":"` + end + `"}`)
		if _, err := planner.Decode([]byte(data), nil); (err == nil) != ok {
			t.Errorf("end %s: %v", end, err)
		}
	}
	if _, err := planner.Decode([]byte(booked(`{"start":"1677-09-21T00:12:43.145224192Z","end":"2026-12-01T08:00:00Z"}`)), nil); err == nil {
		t.Error("the beginning of time is no time")
	}
}

func TestExtraMembers(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	_, err := planner.Decode([]byte(with(`"received_at":"x","more":{"a":[1, 2]},"m\u0065":null`)), func(name, value []byte) { got[string(name)] = string(value) })
	if err != nil || len(got) != 3 || got["received_at"] != `"x"` || got["more"] != `{"a":[1, 2]}` || got["me"] != "null" {
		t.Errorf("extra = %v, %v", got, err)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	p := mustDecode(t, []byte(with(`"schedule":{"z":[`+slot("08:00:00Z", "09:00:00Z", ``)+`],"r":[`+
		slot("08:00:00Z", "09:00:00Z", `,"instance_id":"k"`)+`,`+slot("08:00:00Z", "09:00:00Z", `,"instance_id":"k"`)+`,`+
		slot("08:00:00Z", "08:00:00Z", `,"instance_id":"l"`)+`],"a":[]},"capacities":{"r":{"i":{}}}`)))
	want := []string{
		`peer "p": bookings of instance "k" of resource "r" ignored, it has no capacities: 2`,
		`peer "p": bookings of resource "z" ignored, it has no capacities: 1`,
	}
	if !slices.Equal(p.Warnings(), want) {
		t.Errorf("warnings = %q", p.Warnings())
	}
}

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	var slots []string
	for i := range 100 {
		slots = append(slots, slot("08:00:00Z", "09:00:00Z", `,"instance_id":"k`+strings.Repeat("x", i)+`"`))
	}
	w := mustDecode(t, []byte(booked(slots...))).Warnings()
	if len(w) != 21 || w[20] != `peer "p": bookings of 80 more resources or instances without capacities ignored` {
		t.Errorf("%d warnings, the last is %s", len(w), w[len(w)-1])
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	one, two := slot("08:00:00Z", "09:00:00Z", `,"usage":{"ram":1,"tea":2}`), slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i"`)
	same := []string{
		booked(one, two),
		booked(two, one),
		strings.Replace(booked(one, two), "06:00:00Z", "07:00:00Z", 1),                               // generated_at
		booked(two, slot("08:00:00Z", "09:00:00Z", `,"booking_id":"b-1","usage":{"ram":1,"tea":2}`)), // not ours
		booked(slot("08:00:00Z", "08:00:00Z", `,"booking_id":"oc-1"`), slot("08:00:00Z", "09:00:00Z", `,"booking_id":["oc-1"],"usage":{"ram":1,"tea":2}`), two),
		booked(two, slot("09:00:00+01:00", "10:00:00+01:00", `,"usage":{"tea":2.0,"ram":1e0,"cpu":0}`), slot("08:00:00Z", "08:00:00Z", ``)),
	}
	seen := map[[16]byte]string{}
	for _, data := range same {
		seen[mustDecode(t, []byte(data)).Digest()] = data
	}
	if len(seen) != 1 {
		t.Errorf("%d digests of one content", len(seen))
	}
	for _, data := range []string{
		valid, booked(), booked(one), booked(two), booked(one, two, two),
		booked(one, slot("08:00:00Z", "09:00:00.000000001Z", `,"instance_id":"i"`)),
		booked(one, slot("08:00:00Z", "09:00:00Z", `,"instance_id":"j"`)),
		booked(one, slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i","usage":{}`)),
		booked(one, slot("08:00:00Z", "09:00:00Z", `,"instance_id":"k"`)), // a warning
		booked(slot("08:00:00Z", "09:00:00Z", `,"usage":{"ram":2,"tea":1}`), two),
		booked(one, slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i","booking_id":"oc-1"`)),
		booked(one, slot("08:00:00Z", "09:00:00Z", `,"instance_id":"i","booking_id":"oc-2"`)),
		booked(slot("08:00:00Z", "09:00:00Z", `,"booking_id":"oc-1","usage":{"ram":1,"tea":2}`), two),
		strings.Replace(booked(one, two), `"s":null`, `"t":null`, 1),
		strings.Replace(booked(one, two), `"ram":4`, `"ram":5`, 1),
	} {
		d := mustDecode(t, []byte(data)).Digest()
		if other, ok := seen[d]; ok {
			t.Errorf("one digest for %s and %s", data, other)
		}
		seen[d] = data
	}
}

// TestDigestOfBookings: which slot is which booking counts, their order does not.
func TestDigestOfBookings(t *testing.T) {
	t.Parallel()
	of := func(more ...string) (slots []string) {
		for _, m := range more {
			slots = append(slots, slot("08:00:00Z", "09:00:00Z", m))
		}
		return slots
	}
	seen := map[string]string{}
	for name, want := range map[string][]string{
		"both":    of(`,"booking_id":"oc-1"`, `,"booking_id":"oc-2"`),
		"one":     of(`,"booking_id":"oc-1"`, ``),
		"same":    of(`,"booking_id":"oc-1"`, `,"booking_id":"oc-1"`),
		"crossed": of(`,"booking_id":"oc-2","usage":{"ram":1}`, `,"booking_id":"oc-1"`),
		"uncross": of(`,"booking_id":"oc-1","usage":{"ram":1}`, `,"booking_id":"oc-2"`),
	} {
		d := digestOf(mustDecode(t, []byte(booked(want...))))
		if back := digestOf(mustDecode(t, []byte(booked(want[1], want[0])))); back != d {
			t.Errorf("%s: the order counts", name)
		}
		if other, twice := seen[d]; twice {
			t.Errorf("one digest for %s and %s", name, other)
		}
		seen[d] = name
	}
}

// TestDigestIsTheSameInEveryProcess holds its value: replicas and versions compare it.
func TestDigestIsTheSameInEveryProcess(t *testing.T) {
	t.Parallel()
	const want = "25afea495a0351ae46b08c9befab32b2"
	if got := digestOf(mustDecode(t, fixture(t, "two-instances.json"))); got != want {
		t.Errorf("digest = %s, want %s", got, want)
	}
}

func digestOf(p *planner.Planner) string { return fmt.Sprintf("%x", p.Digest()) }
