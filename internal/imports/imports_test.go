package imports_test

import (
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/imports"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

const (
	newer = `{"name": "two", "schemaVersion": "1.5", "workflow": {
		"specification": {"tasks": [{"id": "a", "name": "a", "parents": [], "children": ["b"], "inputFiles": ["x"]},
			{"id": "b", "name": "b", "parents": ["a"], "children": [], "outputFiles": ["y"]}], "files": [{"id": "x"}, {"id": "y"}]},
		"execution": {"makespanInSeconds": 9, "tasks": [
			{"id": "a", "runtimeInSeconds": 1.5, "coreCount": 2, "memoryInBytes": 1500000000, "command": {"program": "p", "arguments": ["-x"]}, "avgCPU": 3, "machines": ["m"]},
			{"id": "b", "runtimeInSeconds": 3}], "machines": [{"nodeName": "m"}]}}}`
	older = `{"name": "two", "schemaVersion": "1.4", "workflow": {"machines": [{}], "tasks": [
		{"name": "a", "id": "a", "parents": [], "children": ["b"], "files": [{}, {}], "runtimeInSeconds": 1.5, "cores": 2, "memoryInBytes": 1500000000},
		{"name": "b", "parents": ["a"], "children": [], "runtimeInSeconds": 3}]}}`
)

var onto = imports.Onto{Peer: "site", Resource: "cpu", CoresByDefault: 1}

// TestWfFormat holds that both versions become the same workflow, and that what is left out is told.
func TestWfFormat(t *testing.T) {
	t.Parallel()
	const want = `{"graph":{"items":{"a":{"processing":{"duration_s":1.5,"id":"a"}},` +
		`"a on":{"compute":{"demand":{"cpu_cores":2,"ram_gb":1.5},"id":"cpu","peer_id":"site"}},` +
		`"b":{"processing":{"duration_s":3,"id":"b"}},"b on":{"compute":{"demand":{"cpu_cores":1},"id":"cpu","peer_id":"site"}}},` +
		`"links":[{"source":"a","destination":"a on"},{"source":"a","destination":"b"},{"source":"b","destination":"b on"}]},"id":"two","name":"two"}`
	for recording, leaves := range map[string]string{
		newer: "average loads (1), commands (1), files (2), machines (1), uses of files (2), where tasks ran (1)",
		older: "machines (1), uses of files (2)",
	} {
		doc, left, err := imports.WfFormat([]byte(recording), onto)
		if err != nil || string(doc) != want || left.String() != leaves {
			t.Errorf("%s\n%v\n%v", doc, left, err)
		}
	}
	with := onto
	with.Commands, with.ID = true, "w"
	doc, left, err := imports.WfFormat([]byte(newer), with)
	if err != nil || !strings.Contains(string(doc), `"command":["p","-x"]`) || !strings.Contains(string(doc), `"id":"w"`) || left["commands"] != 0 {
		t.Errorf("%s %v %v", doc, left, err)
	}
	for faulty, words := range map[string]string{
		`[]`: "no WfFormat", `{}`: `WfFormat "" is not read`, `{"schemaVersion":"1.5"}`: "0 tasks",
		strings.Replace(newer, `"children": ["b"]`, `"children": ["c"]`, 1):           "no workflow",
		strings.Replace(older, `"runtimeInSeconds": 3`, `"runtimeInSeconds": -3`, 1):  "lasts -3 s",
		strings.Replace(older, `"name": "b"`, `"name": "a"`, 1):                       "there twice",
		strings.Replace(older, `"parents": []`, `"parents": ["b"]`, 1):                "no workflow",
		strings.Replace(newer, `"schemaVersion": "1.5"`, `"schemaVersion": "1.3"`, 1): "1.4 and 1.5",
	} {
		if _, _, err := imports.WfFormat([]byte(faulty), onto); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%.60s: %v, want %q", faulty, err, words)
		}
	}
}

const log = `; Version: 2.2
; UnixStartTime: 1000000000
; MaxProcs: 128
;
  1  0    10 3600 32 -1 -1 32 -1 -1 1 1 1 1 -1 -1 -1 -1
  2  100  -1   -1 -1 -1 -1 16 -1 -1 0 1 1 1 -1 -1 -1 -1
  3  200  50  60.5 128 -1 -1 -1 -1 -1 1 1 1 1 -1 -1 -1 -1
`

// TestSWF holds that each job that ran takes what it had, when it had it.
func TestSWF(t *testing.T) {
	t.Parallel()
	site := imports.Site{Peer: "nasa", Resource: "ipsc", Instance: "all", Dimension: "nodes"}
	const want = `{"capacities":{"ipsc":{"all":{"nodes":128}}},"generated_at":"2001-09-09T01:46:50Z","peer_id":"nasa","schedule":{"ipsc":[` +
		`{"booking_id":"swf-1","end":"2001-09-09T02:46:50Z","instance_id":"all","start":"2001-09-09T01:46:50Z","usage":{"nodes":32}},` +
		`{"booking_id":"swf-3","end":"2001-09-09T01:51:50.5Z","instance_id":"all","start":"2001-09-09T01:50:50Z","usage":{"nodes":128}}]}}`
	doc, left, err := imports.SWF(strings.NewReader(log), site)
	if err != nil || string(doc) != want || left.String() != "columns besides number, times and processors (13), jobs that never ran (1)" {
		t.Errorf("%s\n%v\n%v", doc, left, err)
	}
	site.Start, site.For, site.Processors = time.Date(2026, 12, 7, 0, 0, 0, 0, time.UTC), time.Minute, 64
	doc, left, err = imports.SWF(strings.NewReader(log), site)
	if err != nil || !strings.Contains(string(doc), `"start":"2026-12-07T00:00:00Z"`) || !strings.Contains(string(doc), `"nodes":64`) || left["jobs out of the time asked for"] != 1 {
		t.Errorf("%s\n%v\n%v", doc, left, err)
	}
	for faulty, words := range map[string]string{
		"":                  "no job",
		"1 2 3":             "line 1: 3 fields",
		"; x\n1 0 0 soon 4": `line 2: field 4: "soon"`,
		"1 0 0 1e300 4":     "field 4",
	} {
		if _, _, err := imports.SWF(strings.NewReader(faulty), site); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", faulty, err)
		}
	}
}

func FuzzWfFormat(f *testing.F) {
	f.Add([]byte(newer))
	f.Add([]byte(older))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, _, err := imports.WfFormat(data, onto)
		if err != nil {
			return
		}
		if _, err := workflow.Decode(doc); err != nil {
			t.Error(err)
		}
	})
}

func FuzzSWF(f *testing.F) {
	f.Add(log)
	f.Add("; UnixStartTime: 1e300\n1 0 0 1 1")
	f.Fuzz(func(t *testing.T, text string) {
		doc, _, err := imports.SWF(strings.NewReader(text), imports.Site{Peer: "p", Resource: "r", Instance: "i", Dimension: "d"})
		if err != nil {
			return
		}
		if _, err := planner.Decode(doc, nil); err != nil {
			t.Error(err)
		}
	})
}
