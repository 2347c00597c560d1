package strictjson

import (
	"bytes"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzEach holds that the members of a valid object are those that a decoder finds.
func FuzzEach(f *testing.F) {
	for _, text := range []string{
		`{"start":"2026-12-01T09:00:00Z","duration_s":3600,"selected_instances":{"a/\\\"b":"é","}":"{"}}`,
		" { \"st\\u0061rt\" : \"x\\\\\" ,\n\"as_possible\"\t:true , \"\":-1.5e+3}\r", `{"a":[{"]":"}"},[],"\\\""],"b":{},"c":null}`, `{}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !jsontext.Value(data).IsValid() || jsontext.Value(data).Kind() != '{' {
			return
		}
		var got []string
		var r Reader
		err := r.Document(data, func(name []byte, value jsontext.Value) { got = append(got, string(name), string(value)) })
		if err != nil || len(r.Faults) > 0 {
			t.Errorf("%s: %v, %v", data, err, r.Faults)
		}
		if want := membersByTokens(t, data); !slices.Equal(got, want) {
			t.Errorf("%s: members are %q, want %q", data, got, want)
		}
	})
}

func membersByTokens(t *testing.T, object []byte) (list []string) {
	t.Helper()
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != '}' {
		var name jsontext.Token
		var value jsontext.Value
		if name, err = dec.ReadToken(); err != nil {
			break
		}
		key := name.String()
		if value, err = dec.ReadValue(); value.Kind() != 'n' {
			list = append(list, key, string(value))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}
