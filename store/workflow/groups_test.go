package workflow

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestGroupsStandInTheDocument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		doc    string
		groups []string
		want   string
	}{
		{`{"id":"w","graph":{}}`, nil, `{"id":"w","graph":{}}`},
		{"{ \"id\" : \"w\",\n \"graph\" : {} }\n", nil, "{ \"id\" : \"w\",\n \"graph\" : {} }\n"},
		{`{"id":"w","graph":{}}`, []string{"a", "b"}, `{"id":"w","graph":{},"groups":["a","b"]}`},
		{`{"groups":["x"],"id":"w","graph":{"groups":1}}`, []string{"a"}, `{"id":"w","graph":{"groups":1},"groups":["a"]}`},
		{"{\"id\":\"w\" ,\n\"groups\":null, \"graph\" : {}}", nil, `{"id":"w","graph" : {}}`},
		{`{"gr\u006fups":["x"],"id":"w","graph":{}}`, nil, `{"id":"w","graph":{}}`},
		{`{"a,{b":",","id":"w","graph":{}}`, []string{`"<é`}, `{"a,{b":",","id":"w","graph":{},"groups":["\"<é"]}`},
		{`{}`, []string{"a"}, `{"groups":["a"]}`},
		{`{"groups":[]}`, nil, `{}`},
	} {
		got, err := WithGroups([]byte(c.doc), c.groups)
		if err != nil || string(got) != c.want {
			t.Errorf("%s with %q is %s, %v", c.doc, c.groups, got, err)
		}
	}
}

// TestGroupsAreReadAsTheyWereWritten, and nothing else of the workflow changes.
func TestGroupsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.StringMatching(`[a-z"{,é]{0,5}`), 0, 4).Draw(t, "groups")
		doc := []byte(`{"id":"w","groups":["own choice"],"graph":{"items":{"n":{"compute":{"id":"r","peer_id":"p"}}}}}`)
		plain, err := Decode(doc)
		if err != nil || plain.Groups() != nil {
			t.Fatalf("who writes a workflow chose its groups: %v %v", plain.Groups(), err)
		}
		doc, err = WithGroups(doc, groups)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := DecodeStored(doc)
		if err != nil || !slices.Equal(stored.Groups(), groups) || stored.Digest() != plain.Digest() {
			t.Fatalf("%s: %q, %v", doc, stored.Groups(), err)
		}
	})
}

// TestGroupsThatCannotBeRead are not those of everybody.
func TestGroupsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, groups := range []string{`"a"`, `{}`, `[1]`, `[null]`, `1`} {
		if _, err := DecodeStored([]byte(`{"id":"w","graph":{},"groups":` + groups + `}`)); err == nil {
			t.Errorf("%s are groups", groups)
		}
	}
}
