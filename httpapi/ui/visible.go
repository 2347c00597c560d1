package ui

import (
	"fmt"
	"strings"
	"unicode"
)

// visible is a name as it may be shown: what nobody would see, or what would turn the text around it, is
// written as its code point.
func visible(name string) string {
	if !strings.ContainsFunc(name, hidden) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if hidden(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden says whether a rune is invisible, other than a plain space.
func hidden(r rune) bool {
	return r != ' ' && !unicode.IsGraphic(r) || unicode.In(r, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp) && r != ' ' ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}
