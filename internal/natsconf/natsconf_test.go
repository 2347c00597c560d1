package natsconf_test

import (
	"strings"
	"testing"

	"oc-scheduler/internal/natsconf"
)

// TestKeysAreFresh, and stand in the configuration only where they are not elsewhere.
func TestKeysAreFresh(t *testing.T) {
	t.Parallel()
	seen, files := map[string]bool{}, map[string]bool{}
	for range 2 {
		c, err := natsconf.New([]string{"a", "b.2", "scheduler"})
		if err != nil {
			t.Fatal(err)
		}
		clear(files)
		for _, bare := range []bool{false, true} {
			c.Bare = bare
			var text strings.Builder
			if err := c.Write(&text); err != nil {
				t.Fatal(err)
			}
			for _, u := range c.Users() {
				if strings.Contains(text.String(), u.Seed) == bare || strings.Count(text.String(), u.Public) != 1 || !strings.HasPrefix(u.Seed, "SU") {
					t.Errorf("%s, bare %v:\n%s", u.Name, bare, text.String())
				}
			}
		}
		for _, u := range c.Users() {
			if seen[u.Seed] || files[u.File()] {
				t.Errorf("%s is known", u.File())
			}
			seen[u.Seed], files[u.File()] = true, true
		}
	}
}

func TestAllThatIsWrongWithIDs(t *testing.T) {
	t.Parallel()
	_, err := natsconf.New([]string{"a", "", "OC", "a", "b\n"})
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, part := range []string{`""`, "OC is", "named twice", `"b\n"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s is not told: %v", part, err)
		}
	}
}
