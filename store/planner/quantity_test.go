package planner_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/planner"
)

func TestReadQuantities(t *testing.T) {
	t.Parallel()
	d := jsontext.NewDecoder(bytes.NewBufferString(`{"ram":0.0001,"cpu":{"x":2,"arm":0},"tea\n":1} {}`))
	var faults fault.List
	got, err := planner.ReadQuantities(d, "$.demand", planner.Up, &faults)
	want := []planner.Quantity{{Dimension: "cpu.arm"}, {Dimension: "cpu.x", Amount: 2000}, {Dimension: "ram", Amount: 1}, {Dimension: "tea\n", Amount: 1000}}
	if err != nil || faults != nil || !slices.Equal(got, want) {
		t.Errorf("ReadQuantities = %v, %v, %v", got, faults, err)
	}
	if got, err := planner.ReadQuantities(d, "$", planner.Up, &faults); err != nil || faults != nil || len(got) != 0 {
		t.Errorf("the next object = %v, %v, %v", got, faults, err)
	}
}

// TestReadQuantitiesTellsPlaces reads below a path that is not the decoder's own.
func TestReadQuantitiesTellsPlaces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", planner.MaxName)
	d := jsontext.NewDecoder(bytes.NewBufferString(`{"x":[7,{"ram":-1,"cpu":{"x":"2","y":{}},"a":{"b":1},"a.b":1,"":1,"c":null,"` + long + `":1,"` + long + `n":1}]}`))
	for range 4 { // { x [ 7
		if _, err := d.ReadToken(); err != nil {
			t.Fatal(err)
		}
	}
	var faults fault.List
	if _, err := planner.ReadQuantities(d, "$.items['n 2'].demand", planner.Down, &faults); err != nil {
		t.Fatal(err)
	}
	const base = "$.items['n 2'].demand"
	want := fault.List{
		{Path: base + ".ram", Message: "invalid amount: negative: -1"},
		{Path: base + ".cpu.x", Message: "must be a number, not a string"},
		{Path: base + ".cpu.y", Message: "must be a number, not an object"},
		{Path: base + "['']", Message: "a dimension needs a name"},
		{Path: base + ".c", Message: "must be a number or an object of numbers, not null"},
		{Path: base + "['" + long[:40] + "…']", Message: "a dimension's name may have 256 bytes, not 257"},
		{Path: base, Message: `dimension "a.b" is named twice`},
	}
	if !slices.Equal(faults, want) {
		t.Errorf("faults = %v", faults)
	}
	if token, err := d.ReadToken(); err != nil || token.Kind() != ']' {
		t.Errorf("the decoder is at %v, %v", token, err)
	}
}

func TestReadQuantitiesStopsAtBrokenText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `{`, `{"a"`, `{"a":1`, `{"a":1,}`, `{"a":{"b":1,"b":2}}`, `{"a":x}`, `[`, `{"a":{"b":[}}}`} {
		var faults fault.List
		if got, err := planner.ReadQuantities(jsontext.NewDecoder(bytes.NewBufferString(text)), "$", planner.Up, &faults); err == nil {
			t.Errorf("ReadQuantities(%s) = %v", text, got)
		}
	}
}
