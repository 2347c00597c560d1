package kv_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

// A key says what it was made of, and no two lists of identifiers have the same.
func TestAKeyIsMadeOfItsIDs(t *testing.T) {
	t.Parallel()
	ids := rapid.SliceOfN(rapid.String().Filter(func(s string) bool { return id.Check(s) == nil }), 1, 5)
	rapid.Check(t, func(t *rapid.T) {
		a, b := ids.Draw(t, "a"), ids.Draw(t, "b")
		back, err := kv.KeyOf(a...).IDs(len(a))
		if err != nil || !slices.Equal(back, a) {
			t.Fatalf("%q: %q, %v", a, back, err)
		}
		if (kv.KeyOf(a...) == kv.KeyOf(b...)) != slices.Equal(a, b) {
			t.Fatalf("%q and %q have one key", a, b)
		}
		if strings.ContainsAny(string(kv.KeyOf(a...)), " *>") {
			t.Fatalf("%q has a meaning in subjects", kv.KeyOf(a...))
		}
	})
}

func TestWhatIsNoKey(t *testing.T) {
	t.Parallel()
	for key, tokens := range map[kv.Key]int{
		"": 1, "a.b": 1, "a": 2, "a.b.c": 2, "a..b": 3, ".": 2, "a.": 2, "a=2eb": 1, "=41": 1, "a b": 1,
		kv.KeyOf("a", ""): 2, kv.KeyOf(strings.Repeat("x", 129)): 1, kv.KeyOf("line\nfeed"): 1,
	} {
		if ids, err := key.IDs(tokens); !errors.Is(err, id.ErrInvalid) {
			t.Errorf("%q of %d tokens: %q, %v", key, tokens, ids, err)
		}
	}
}
