package id_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/id"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		id string
		ok bool
	}{
		"plain":             {"peer-a", true},
		"any printable":     {"pé er/1:2.*>", true},
		"longest":           {strings.Repeat("x", id.MaxBytes), true},
		"empty":             {"", false},
		"too long":          {strings.Repeat("x", id.MaxBytes+1), false},
		"too long in bytes": {strings.Repeat("é", 65), false},
		"newline":           {"a\nb", false},
		"delete":            {"a\x7f", false},
		"C1 control":        {"a\u0085", false},
		"not UTF-8":         {"a\xff", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := id.Check(tc.id)
			if (err == nil) != tc.ok || err != nil && !errors.Is(err, id.ErrInvalid) {
				t.Errorf("Check(%q) = %v", tc.id, err)
			}
		})
	}
}

func TestKeyExamples(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"peer-a_1": "peer-a_1", "a.b": "a=2Eb", "a b": "a=20b", "=": "=3D", "é": "=C3=A9", "a.>": "a=2E=3E",
	} {
		if got := id.Key(in); got != want {
			t.Errorf("Key(%q) = %q, want %q", in, got, want)
		}
	}
	for _, bad := range []string{"", "=", "=2", "=2e", "=41", "a=2Gb", "=0A"} {
		if got, err := id.FromKey(bad); !errors.Is(err, id.ErrInvalid) {
			t.Errorf("FromKey(%q) = %q, %v", bad, got, err)
		}
	}
}

func TestKeyIsOneToOneAndSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Filter(func(s string) bool { return id.Check(s) == nil }).Draw(t, "id")
		key := id.Key(s)
		if strings.ContainsAny(key, ".*> \t") {
			t.Fatalf("Key(%q) = %q holds a character with a meaning in subjects", s, key)
		}
		if back, err := id.FromKey(key); err != nil || back != s {
			t.Fatalf("FromKey(%q) = %q, %v", key, back, err)
		}
	})
}

func FuzzFromKey(f *testing.F) {
	f.Add("a=2Eb")
	f.Add("==")
	f.Fuzz(func(t *testing.T, key string) {
		if s, err := id.FromKey(key); err == nil && id.Key(s) != key {
			t.Errorf("FromKey(%q) = %q, whose key is %q", key, s, id.Key(s))
		}
	})
}
