package doctor

import (
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	for text, tc := range map[string]struct {
		level Level
		what  string
	}{
		"2.10.29":         {Fail, "needs 2.11.2"},
		"2.11.1":          {Fail, "needs 2.11.2"},
		"2.11.2":          {Warn, "atomic batches need 2.14.0"},
		"2.13.9":          {Warn, "atomic batches need 2.14.0"},
		"2.14.0":          {Warn, "message schedules need 2.15.0"},
		"2.15.0-RC.1":     {OK, "2.15.0-RC.1"},
		"2.15.2":          {OK, "2.15.2"},
		"3.0.0":           {OK, "3.0.0"},
		"unknown-edition": {Unknown, "cannot be read"},
	} {
		var e exam
		e.version("nats://user:pw@a:1", text)
		f := e.findings[0]
		if f.Level != tc.level || !strings.Contains(f.What, tc.what) || strings.Contains(f.What, "pw") || (f.Mend == "") != (f.Level == OK) {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"a, b":                     {"b", "a"},
		"a, b, c, d, e":            {"e", "d", "c", "b", "a"},
		"a, b, c, d, e and 2 more": {"g", "f", "e", "d", "c", "b", "a"},
	} {
		if got := some(names); got != want {
			t.Errorf("%v: %s, want %s", names, got, want)
		}
	}
}
