package main

import (
	"regexp"
	"strings"
	"testing"
)

// before is the commit of the version before this one, v0.1.0 of CHANGELOG.md, which has no tag. Whoever makes a release
// names that here.
const before = "f34b5b4"

var section = regexp.MustCompile(`(?m)^## (v\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d|unreleased)$`)

// TestVersionsAreNumbers holds that the program calls itself by the newest section of CHANGELOG.md, and that what is told of
// upgrading is told of that, of the one before, and of the commit that the roll is tried from.
func TestVersionsAreNumbers(t *testing.T) {
	t.Parallel()
	log := read(t, root+"CHANGELOG.md")
	sections := section.FindAllStringSubmatch(log, -1)
	if len(sections) < 2 || len(sections) != strings.Count(log, "\n## ") {
		t.Fatalf("sections are %q", sections)
	}
	newest, last := sections[0][1], sections[1][1]
	if number, _, _ := strings.Cut(version, "-"); number != newest {
		t.Errorf("this is %s, and the newest section %s", version, newest)
	}
	upgrading := read(t, root+"docs/upgrading.md")
	for _, word := range []string{last + " and " + newest, before, newest + "-devel+"} {
		if !strings.Contains(upgrading, word) {
			t.Errorf("docs/upgrading.md does not tell of %s", word)
		}
	}
}
