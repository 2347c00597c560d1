package httpapi

import (
	"net/http"
	"testing"
)

func TestTagLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header       []string
		weak         bool
		given, isAny bool
	}{
		{header: nil},
		{header: []string{`"a"`}, given: true, weak: true},
		{header: []string{`W/"a"`}, given: true, weak: true},
		{header: []string{`"b", "a"`}, given: true, weak: true},
		{header: []string{`"b"`, `"a"`}, given: true, weak: true},
		{header: []string{` * `}, given: true, isAny: true, weak: true},
		{header: []string{`"b,a"`}, given: true},
		{header: []string{`"x,y", "a"`}, given: true, weak: true},
		{header: []string{`a`}, given: true, weak: true}, // careless clients leave the quotes off
		{header: []string{`"a`}, given: true},
		{header: []string{`a"`}, given: true},
		{header: []string{`,,  ,"a",`}, given: true, weak: true},
		{header: []string{``}, given: true},
	} {
		h := http.Header{"If-Match": c.header}
		l := tagsOf(h, "If-Match")
		if l.given != c.given || l.any != c.isAny || l.weakly(`"a"`) != c.weak {
			t.Errorf("%q: %+v, weakly %v", c.header, l, l.weakly(`"a"`))
		}
	}
}

func FuzzTagList(f *testing.F) {
	for _, s := range []string{`"a"`, `W/"a", "b"`, `*`, `"`, `W/"`, `,`, `a,b`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := tagsOf(http.Header{"If-Match": {s}}, "If-Match")
		for _, tag := range l.tags { // what is read is found again, alone
			again := tagsOf(http.Header{"If-Match": {tag}}, "If-Match")
			if len(again.tags) != 1 || again.tags[0] != tag {
				t.Errorf("%q gives %q, which gives %q", s, tag, again.tags)
			}
		}
	})
}
