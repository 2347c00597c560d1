package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

// TestTimesForWhoLooks are told from now, or in the local zone.
func TestTimesForWhoLooks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.Local)
	p := &paper{human: true, now: now}
	for want, d := range map[string]time.Duration{
		"now": 500 * time.Millisecond, "12s ago": 12 * time.Second, "1m30s ago": 90 * time.Second, "3m ago": 3*time.Minute + 20*time.Second,
		"2h30m ago": 150 * time.Minute, "1d ago": 24 * time.Hour, "6d ago": 6*24*time.Hour + time.Hour, "in 5m": -5*time.Minute - 10*time.Second,
		"in 1d2h": -26 * time.Hour, "2026-11-01 12:00": 30 * 24 * time.Hour,
	} {
		if got := p.cell(moment(now.Add(-d))); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for cell, want := range map[any]string{
		now:         now.Format("2006-01-02 15:04:05 MST"),
		time.Time{}: "-",
		moment{}:    "-",
		lasting{now.Add(-90 * time.Second), time.Time{}}: "1m30s",
		lasting{now.Add(-time.Minute), now}:              "1m0s",
		lasting{}:                                        "-",
	} {
		if got := p.cell(cell); got != want {
			t.Errorf("%v: %q, want %q", cell, got, want)
		}
	}
	if got := (&paper{}).cell(lasting{from: now}); got != "-" {
		t.Errorf("a file is told %q, which changes by itself", got)
	}
}

// TestYAMLIsTheSameDocument, its members in their order, text quoted where it would be read as something else.
func TestYAMLIsTheSameDocument(t *testing.T) {
	t.Parallel()
	const doc = `{"z":"a: b","a":["yes","1e3",1e3,1.50,null,true,"","\u001f\ud83d\ude00\/","2026-12-01T00:00:00Z"],"m":{},"n":[],"b":"- x\ny\n"}`
	var out strings.Builder
	if err := printYAML(&out, json.RawMessage(doc)); err != nil {
		t.Fatal(err)
	}
	var want, got any
	if err := json.Unmarshal([]byte(doc), &want); err != nil {
		t.Fatal(err)
	}
	var read any
	if err := yaml.Unmarshal([]byte(out.String()), &read); err != nil {
		t.Fatal(err, out.String())
	}
	again, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &got); err != nil || !reflect.DeepEqual(got, want) || !strings.HasPrefix(out.String(), "z: ") || strings.Contains(out.String(), "{\"") {
		t.Errorf("%v\n%v\n%s", got, want, out.String())
	}
}

// TestErrorsForPrograms are documents, also of a command line that cannot be read.
func TestErrorsForPrograms(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]failure{
		"nodes --bogus -o json": {ExitCode: 1, Error: "unknown flag --bogus"},
		"-o=json fly":           {ExitCode: 1, Error: "unknown flag -o"},

		"run n1 -ojson --server 127.0.0.1:1 -- ls":   {ExitCode: 125, Error: "no replica answers at 127.0.0.1:1"},
		"nodes --output=json --server 127.0.0.1:1":   {ExitCode: 1, Error: "no replica answers"},
		"runs show x --output json --server ftp://a": {ExitCode: 1, Error: "--server: not a URL"},
	} {
		out := invoke(t, nil, strings.Fields(args)...)
		var got failure
		if err := json.Unmarshal([]byte(out.stderr), &got); err != nil || out.code != want.ExitCode || got.ExitCode != want.ExitCode || !strings.Contains(got.Error, want.Error) {
			t.Errorf("%s: %+v, %v", args, out, err)
		}
	}
	if out := invoke(t, map[string]string{"OC_OUTPUT": "yaml"}, "fly"); !strings.HasPrefix(out.stderr, "error: no command `fly`") {
		t.Errorf("%+v", out)
	}
	if out := invoke(t, nil, "run", "n1", "--server", "127.0.0.1:1", "--", "ls", "-o", "json"); !strings.HasPrefix(out.stderr, "oc-scheduler: ") {
		t.Errorf("a flag of what is run counts: %+v", out)
	}
}
