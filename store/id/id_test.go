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
		"dots":              {"...", true},
		"a dot at the ends": {".a.", true},
		"this directory":    {".", false},
		"the one above":     {"..", false},
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

// TestNames: an identifier has one name, of a length that file systems take, which is its key where that will do.
func TestNames(t *testing.T) {
	t.Parallel()
	of := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.String(),
			rapid.StringOfN(rapid.SampledFrom([]rune("aé")), 60, 128, id.MaxBytes), // of one beginning, often
		).Filter(func(s string) bool { return id.Check(s) == nil }).Draw(t, "id")
		most := rapid.IntRange(64, id.MaxFileName).Draw(t, "most")
		name, key := id.Name(s, most), id.Key(s)
		if len(name) > most || strings.ContainsAny(name, "./\\*> ") || (name == key) != (len(key) <= most) {
			t.Fatalf("Name(%q, %d) = %q", s, most, name)
		}
		if other, taken := of[name]; taken && other != s {
			t.Fatalf("%q and %q are both %q", s, other, name)
		}
		of[name] = s
	})
	long := strings.Repeat("é", 64)
	want := strings.Repeat("=C3=A9", 17)[:100] + "~845836d7e680de9961df321148f8cb5e8a7da92aba65f5b05b817c3b58256bd5"
	if got := id.Name(long, 200); got != want {
		t.Errorf("Name(%q) = %q, want %q: what the version before wrote", long, got, want)
	}
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
