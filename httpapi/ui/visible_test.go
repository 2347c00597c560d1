package ui

import "testing"

func TestNothingInANameIsHidden(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"plain name-1.é漢":     "plain name-1.é漢",
		"a\u200bb":            "a⟨U+200B⟩b",
		"a\u202eb":            "a⟨U+202E⟩b",
		"a\u00a0b":            "a⟨U+00A0⟩b",
		"a\u3164b":            "a⟨U+3164⟩b",
		"a\ufe0fb":            "a⟨U+FE0F⟩b",
		"a\ufeffb":            "a⟨U+FEFF⟩b",
		"<b onclick=x>\u2028": "<b onclick=x>⟨U+2028⟩",
	} {
		if got := visible(name); got != want {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
}
