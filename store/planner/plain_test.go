package planner

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ordinary are documents as peers write them.
func ordinary(tb testing.TB) []string {
	tb.Helper()
	fixture, err := os.ReadFile("../../testdata/planners/two-instances.json")
	if err != nil {
		tb.Fatal(err)
	}
	return []string{
		string(fixture),
		`{"peer_id":"pé","generated_at":"2026-12-01T08:00:00.25+01:00","capacities":{"r":{"i":{"cpu":{"a":4,"b":0.5},"ram":8},"j":{}},"s":{}},"x":[{"a":[],"b":null},true,1.5,"x"]}`,
		`{"peer_id":"p","generated_at":"2026-12-01T08:00:00Z","capacities":{"r":{"i":{"ram":1}}},"schedule":{"r":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-02T08:00:00Z","booking_id":"oc-2","usage":{}},{"booking_id":"oc-1","start":"2026-12-01T08:00:00Z","end":"2026-12-02T08:00:00Z"},{"start":"2026-12-01T08:00:00Z","end":"2026-12-02T08:00:00Z","booking_id":17}]}}`,
		` { "schedule" : {"r":[ {"start":"2026-12-01T08:00:00Z","end":"2026-12-02T08:00:00Z","usage":{"ram":0.0001}} , {"end":"2026-12-31T09:00:00Z","start":"2026-12-31T09:00:00Z","instance_id":"i"}],"q":[]}, "capacities":{"r":{"i":{"ram":1}}},"generated_at":"2026-12-01T08:00:00Z","peer_id":"p"} `,
	}
}

// outcome is all that a way of reading says of a document.
type outcome struct {
	planner *Planner
	err     string
	extra   map[string]string
}

func outcomeOf(data []byte, read func(*decoder, []byte)) outcome {
	o := outcome{extra: map[string]string{}}
	d := decoders.New().(*decoder)
	d.extra = func(name, value []byte) { o.extra[string(name)] = string(value) }
	read(d, data)
	err := d.faults.Err()
	if err == nil {
		o.planner, err = d.planner()
	}
	o.err = fmt.Sprint(err)
	return o
}

// agree holds both ways of reading against each other.
func agree(data []byte) error {
	short, long := outcomeOf(data, (*decoder).read), outcomeOf(data, (*decoder).readAny)
	if short.err != long.err || !reflect.DeepEqual(short.planner, long.planner) || !maps.Equal(short.extra, long.extra) {
		return fmt.Errorf("%q is read the short way as %+v, the long way as %+v", data, short, long)
	}
	return nil
}

func TestOrdinaryDocumentsAreReadTheShortWay(t *testing.T) {
	t.Parallel()
	for _, doc := range ordinary(t) {
		if d := decoders.New().(*decoder); !d.readPlain([]byte(doc)) {
			t.Errorf("%s is not plain", doc)
		}
		if err := agree([]byte(doc)); err != nil {
			t.Error(err)
		}
	}
}

// TestUnusualValues of members that nobody knows: no other check would miss what is wrong with them.
func TestUnusualValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		`0`, `01`, `00.5`, `1.`, `.5`, `1.5.5`, `-1`, `-`, `+1`, `1e3`, `1E`, `0x1`, `1a`, `tru`, `truee`, `nul`, `True`, ``, `,`, `:`, `"`, `"\n"`, `"\x"`,
		"\"\x01\"", "\"\x7f\"", "\"\xff\"", "\"\t\"", "\t1\r\n", "\v1", "\u00a01", "\"\u2028\"", `{}`, `[]`, `{,}`, `[,]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`,
		`[1 2]`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, `{"a":{"a":1},"b":[{"a":1},{"a":1}]}`, `{"a":[{"b":1,"b":1}]}`, `{1:2}`, `[}`, `{]`, `1}`, `1]`,
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), // deeper than jsontext reads
	} {
		doc := `{"x":` + value + `,"peer_id":"p","generated_at":"2026-12-01T08:00:00Z"}`
		for _, doc := range []string{doc, doc + ",", doc + "1", doc[1:], doc[:len(doc)-1], doc + " \n", doc + "\x00"} {
			if err := agree([]byte(doc)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestBothWaysAgree on documents that are nearly ordinary.
func TestBothWaysAgree(t *testing.T) {
	t.Parallel()
	docs := ordinary(t)
	scraps := append(strings.Split(`{,},[,],:,",0,7,.,-,e,E5,1e3,\,\u0061,null,true,nul,é,`+"\xff,\x01,\x00,\n", ","),
		",", " ", "01", "1.", `"a":1`, `"a":1,`, `,"a":1`, `{}`, `[]`, `"usage":null`, `"i"`, `"r"`, `"ram"`, `"cpu.a":1,`, `""`, `"oc-1"`, `"\u006fc-1"`, `"oc-`, `"booking_id":`, `"booking_id":"oc-3",`,
		strings.Repeat("[", 20)+strings.Repeat("]", 20), strings.Repeat("[", 20))
	rapid.Check(t, func(t *rapid.T) {
		doc := rapid.SampledFrom(docs).Draw(t, "document")
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			first := rapid.IntRange(0, len(doc)).Draw(t, "first")
			end := min(first+rapid.IntRange(0, 8).Draw(t, "length"), len(doc))
			doc = doc[:first] + rapid.SampledFrom(scraps).Draw(t, "scrap") + doc[end:]
		}
		if err := agree([]byte(doc)); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzBothWaysAgree(f *testing.F) {
	for _, doc := range ordinary(f) {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := agree(data); err != nil {
			t.Error(err)
		}
	})
}

func TestManyMembers(t *testing.T) {
	t.Parallel()
	for n := 63; n < 66; n++ { // around what a plainjson.Scanner takes
		var instances []string
		for i := range n {
			instances = append(instances, fmt.Sprintf(`"i%d":{"ram":1}`, i))
		}
		for _, last := range []string{`"i":{}`, `"i0":{}`} {
			doc := `{"peer_id":"p","generated_at":"2026-12-01T08:00:00Z","capacities":{"r":{` + strings.Join(append(instances, last), ",") + `}}}`
			if err := agree([]byte(doc)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestADecoderKeepsNothing of a planner that it has handed out, nor one of the next.
func TestADecoderKeepsNothing(t *testing.T) {
	t.Parallel()
	d := decoders.New().(*decoder)
	var planners []*Planner
	docs := ordinary(t)
	for _, doc := range docs {
		d.read([]byte(doc))
		p, err := d.planner()
		if err != nil {
			t.Fatal(err)
		}
		planners = append(planners, p)
		d.forget()
	}
	for i, doc := range docs {
		if alone := outcomeOf([]byte(doc), (*decoder).read).planner; !reflect.DeepEqual(planners[i], alone) {
			t.Errorf("%s is %+v, read alone %+v", doc, planners[i], alone)
		}
	}
}

// TestNamesOfDimensions of no length and around the greatest.
func TestNamesOfDimensions(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, MaxName - 1, MaxName, MaxName + 1} {
		name := strings.Repeat("n", n)
		for _, amounts := range []string{`"%s":1`, `"%s":{}`, `"%s":{"":1}`, `"%s":{"a":1}`, `"":{"%s":1}`, `"%s":{"a":{}}`, `"%s":{"a":1},"%[1]s.a":1`} {
			doc := `{"peer_id":"p","generated_at":"2026-12-01T08:00:00Z","capacities":{"r":{"i":{` + fmt.Sprintf(amounts, name) + `}}}}`
			if err := agree([]byte(doc)); err != nil {
				t.Error(err)
			}
		}
	}
}
