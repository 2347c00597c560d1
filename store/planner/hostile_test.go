package planner_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"oc-scheduler/store/planner"
)

// hostile are documents that repeat one thing until they are large.
func hostile(size int) map[string]string {
	fill := func(head, tail string, item func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(item(i) + ",")
		}
		return with(head + strings.TrimSuffix(b.String(), ",") + tail)
	}
	const (
		capacities = `"capacities":{"r":{"i":{"ram":1}}},`
		head       = `{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z"`
	)
	numbered := func(format string) func(i int) string {
		return func(i int) string { return fmt.Sprintf(format, i) }
	}
	always := func(item string) func(int) string { return func(int) string { return item } }
	return map[string]string{
		"dimensions":        fill(`"capacities":{"r":{"i":{`, `}}}`, numbered(`"%x":1`)),
		"usage":             fill(capacities+`"schedule":{"r":[`+head+`,"usage":{`, `}}]}`, numbered(`"%x":1`)),
		"instances":         fill(`"capacities":{"r":{`, `}}`, numbered(`"%x":{}`)),
		"resources":         fill(`"capacities":{`, `}`, numbered(`"%x":{}`)),
		"slots":             fill(capacities+`"schedule":{"r":[`, `]}`, always(head+`}`)),
		"bookings":          fill(capacities+`"schedule":{"r":[`, `]}`, numbered(head+`,"booking_id":"oc-%x"}`)),
		"unknown instances": fill(capacities+`"schedule":{"r":[`, `]}`, numbered(head+`,"instance_id":"%x"}`)),
		"unknown resources": fill(capacities+`"schedule":{`, `}`, numbered(`"%x":[`+head+`}]`)),
		"faults":            fill(capacities+`"schedule":{"r":[`, `]}`, always(`1`)),
		"faults far below":  fill(capacities+`"schedule":{"r":[`+head+`,"usage":{"`+strings.Repeat("n", size)+`":{`, `}}]}`, numbered(`"%x":-1`)),
		"invalid resource":  fill(capacities+`"schedule":{"`+strings.Repeat("n", size)+`":[`, `]}`, always(`1`)),
		"long number":       fill(`"capacities":{"r":{"i":{"a":0.`, `1}}}`, func(i int) string { return strings.Repeat("0", size) })[:size] + `}}}}`,
		"deep":              with(`"x":` + strings.Repeat("[", size)),
		"unknown members":   fill(`"x":1,`, ``, numbered(`"%x":1`)),
	}
}

// TestHostileDocumentsCostLittle measures memory, so it does not run beside others.
func TestHostileDocumentsCostLittle(t *testing.T) {
	for name, doc := range hostile(1 << 17) {
		data := []byte(doc)
		before := memory()
		p, _ := planner.Decode(data, nil) // some are planners, some are not
		spent := memory().TotalAlloc - before.TotalAlloc
		runtime.GC()
		runtime.GC() // the second empties the pools
		kept := int64(memory().HeapAlloc) - int64(before.HeapAlloc)
		if spent > 72*uint64(len(data)) || kept > 3*int64(len(data)) {
			t.Errorf("%s: a document of %d bytes cost %d bytes and keeps %d", name, len(data), spent, kept)
		}
		runtime.KeepAlive(p)
		runtime.KeepAlive(data)
	}
}

func memory() (m runtime.MemStats) {
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}
