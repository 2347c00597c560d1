package plainjson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/plainjson"
)

// passes says whether a scanner takes an object of any values, and what it says these are.
func passes(data []byte) (values []string, ok bool) {
	var s plainjson.Scanner
	ok = s.Document(data, func([]byte) bool {
		value, ok := s.Value()
		values = append(values, string(value))
		return ok
	})
	return values, ok
}

func TestPlainDocuments(t *testing.T) {
	t.Parallel()
	values, ok := passes([]byte(` { "a" : 1.50 , "b":[ ] , "c":{"d":[1,null,true,{}],"e":"é"},"":false } `))
	if got := strings.Join(values, "|"); !ok || got != `1.50|[ ]|{"d":[1,null,true,{}],"e":"é"}|false` {
		t.Errorf("%t, %s", ok, got)
	}
	for _, unusual := range []string{
		`{"a":-1}`, `{"a":1e3}`, `{"a":"\n"}`, `{"a":"\u0061"}`, `{"a":1,"a":2}`, `[]`, `1`, ``, "{\"a\":\"\xff\"}",
		strings.Repeat(`{"a":`, 20) + `1` + strings.Repeat(`}`, 20),
	} {
		if _, ok := passes([]byte(unusual)); ok {
			t.Errorf("%s is taken", unusual)
		}
	}
}

func TestHowManyMembersAreTaken(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{1: true, 64: true, 65: false} {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"m%d":%d`, i, i))
		}
		if _, ok := passes([]byte("{" + strings.Join(members, ",") + "}")); ok != want {
			t.Errorf("%d members: %t", n, ok)
		}
	}
}

// FuzzDocument: what is taken is JSON, to a decoder that refuses all that might be understood in two ways.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,{"b":"c"}],"d":null}`, `{"a":01}`, `{"a":tru}`, `{"a":1,}`, `{}}`, "{\"\x7f\":\"\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, ok := passes(data); ok && !jsontext.Value(data).IsValid() {
			t.Errorf("%q is taken", data)
		}
	})
}

// FuzzBase64: bytes are those that encoding/json reads.
func FuzzBase64(f *testing.F) {
	for _, seed := range []string{"eyJ4IjoxfQ==", "eyJ4IjoxfQ", "a\nb=", "", "====", `\/`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := []byte(`{"bytes":"` + text + `"}`)
		var s plainjson.Scanner
		var got []byte
		ok := s.Document(data, func([]byte) (ok bool) {
			got, ok = s.Base64()
			return ok
		})
		var want struct{ Bytes []byte }
		if err := json.Unmarshal(data, &want); ok && (err != nil || string(got) != string(want.Bytes)) {
			t.Errorf("%s: %q, want %q, %v", data, got, want.Bytes, err)
		}
	})
}

// Names that rise are plain however many there are; others while they are few; twice the same never.
func TestManyMembers(t *testing.T) {
	t.Parallel()
	object := func(names ...int) []byte {
		members := make([]string, len(names))
		for n, name := range names {
			members[n] = fmt.Sprintf(`"m%04d":{"a":1,"b":2}`, name)
		}
		return []byte("{" + strings.Join(members, ",") + "}")
	}
	rising := make([]int, 3000)
	for n := range rising {
		rising[n] = n
	}
	for what, x := range map[string]struct {
		names []int
		plain bool
	}{
		"rising":             {rising, true},
		"few":                {[]int{5, 3, 4, 1}, true},
		"many":               {append([]int{5000}, rising...), false},
		"twice in a row":     {append(rising[:50:50], 49), false},
		"twice, far apart":   {append(rising[:50:50], 0), false},
		"fallen, then twice": {[]int{1, 2, 0, 3, 2}, false},
		"fallen, then risen": {[]int{1, 2, 0, 3, 4}, true},
	} {
		if _, ok := passes(object(x.names...)); ok != x.plain {
			t.Errorf("%s: plain %t", what, ok)
		}
	}
}
