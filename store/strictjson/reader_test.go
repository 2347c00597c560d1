package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
)

// read reads an order of this test's own.
func read(data string) (words []string, err error) {
	var r strictjson.Reader
	err = r.Document([]byte(data), func(name []byte, value jsontext.Value) {
		switch string(name) {
		case "words":
			r.List("$.words", value, func(path string, value jsontext.Value) {
				if word, ok := r.Text(path, value); ok {
					words = append(words, word)
				}
			})
		case "loud":
			if r.Bool("$.loud", value) {
				words = append(words, "!")
			}
		case "takes_s":
			if d, ok := r.Seconds("$.takes_s", value); ok {
				words = append(words, d.String())
			}
		default:
			r.Unknown(fault.Root, name)
		}
	})
	if err == nil {
		err = r.Faults.Err()
	}
	return words, err
}

func TestRead(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{}`: "", `{"words":null}`: "", `{"words":[]}`: "",
		" {\n\"words\" : [ \"a\\u0062\" , \"é😀\" ] ,\t\"loud\":true, \"takes_s\": 15e-1 } ": "ab|é😀|!|1.5s",
		`{"w\u006frds":["x"],"loud":false}`:                                                 "x",
	} {
		words, err := read(data)
		if got := strings.Join(words, "|"); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", data, got, err, want)
		}
	}
}

func TestAllThatIsWrong(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"Words":["x"],"WORDS":[],"loud ":true}`:          "$.Words: unknown member; $.WORDS: unknown member; $['loud ']: unknown member",
		`{"words":["x"],"words":["y"],"loud":1}`:           "$.words: is there twice; $.loud: must be true or false",
		`{"words":["a",1,null,["b"]],"takes_s":"1"}`:       "$.words[1]: must be a string; $.words[2]: must be a string; $.words[3]: must be a string; $.takes_s: must be a number of seconds",
		`{"words":["\ud800","\udc00\ud800"],"l\udfffd":0}`: "$.words[0]: is not Unicode text; $.words[1]: is not Unicode text; $['l\uFFFDd']: is not Unicode text; $['l\uFFFDd']: unknown member",
		"{\"words\":[\"\xff\",\"\xc0\xaf\"]}":              "$.words[0]: is not Unicode text; $.words[1]: is not Unicode text",
		`{"x":{"a":[{"b":1,"\u0062":2}],"a":0}}`:           "$.x.a[0].b: is there twice; $.x.a: is there twice; $.x: unknown member",
		`{"words":{"0":"x"}}`:                              "$.words: must be a list",
		`[]`:                                               "$: must be an object",
		`"\ud800"`:                                         "$: is not Unicode text; $: must be an object",
		`null`:                                             "$: must be an object",
		`{"` + strings.Repeat("é", 100) + `":1}`:           "$['" + strings.Repeat("é", 32) + "…']: unknown member",
		`{"takes_s":1e300,"loud":null,"":0}`:               "$.takes_s: must be a number of seconds; $['']: unknown member",
		`{"words":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`: "$.words[0]: must be a string",
	} {
		if _, err := read(data); err == nil || err.Error() != want {
			t.Errorf("%.99s\n got %v\nwant %s", data, err, want)
		}
	}
}

func TestNotJSON(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", " ", "{", `{"words":[}`, `{} {}`, `{}x`, "nul", "\xff", "\x1f\x8b\x08", `{'words':[]}`, `{"words":[],}`, `{"takes_s":01}`, `{"takes_s":NaN}`, "{\"words\":[\"\n\"]}", "\ufeff{}", strings.Repeat("[", 20_000)} {
		if _, err := read(data); !errors.Is(err, strictjson.ErrNotJSON) {
			t.Errorf("%.40q: %v", data, err)
		}
	}
}

// TestDeepAndWide: what is deep and large at once is read in one pass.
func TestDeepAndWide(t *testing.T) {
	t.Parallel()
	const depth = 9_990
	data := `{"x":0,"x":` + strings.Repeat(`[`, depth) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("]", depth) + `}`
	var visited int
	var r strictjson.Reader
	if err := r.Document([]byte(data), func([]byte, jsontext.Value) { visited++ }); err != nil || visited != 2 || len(r.Faults) != 1 {
		t.Errorf("%v, %v, %d members", err, r.Faults, visited)
	}
}

// FuzzDocument: a document is refused where it is not JSON, and has a fault where it may be understood in
// two ways; and nowhere else.
func FuzzDocument(f *testing.F) {
	for _, data := range []string{`{"a":[1,{"b":"c"}],"a":null}`, `{"\ud800":1}`, "{\"a\":\"\xff\"}", `{"a":{"b":1,"b":2}} `, `{} {}`, `[]`, `{"a":"\ud83d\ude00"}`} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r strictjson.Reader
		err := r.Document(data, func([]byte, jsontext.Value) {})
		switch isObject := jsontext.Value(data).Kind() == '{'; {
		case errors.Is(err, strictjson.ErrNotJSON):
			if json.Valid(data) && utf8.Valid(data) {
				t.Errorf("%q is JSON: %v", data, err)
			}
		case err != nil:
			t.Error(err)
		case !json.Valid(data):
			t.Errorf("%q is no JSON", data)
		case jsontext.Value(data).IsValid() && isObject != (len(r.Faults) == 0):
			t.Errorf("%q: %v", data, r.Faults)
		case !jsontext.Value(data).IsValid() && len(r.Faults) == 0:
			t.Errorf("%q has no fault", data)
		}
	})
}
