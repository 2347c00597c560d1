package ncl

import (
	"strings"
	"unicode"
)

// MaxReason is how long a reason may be that is told or kept, in bytes.
const MaxReason = 1 << 10

// Reason is a text fit to be a reason, to be sent as a header or kept in a log, whoever wrote it: one line
// of valid UTF-8, cut at MaxReason, and never empty.
func Reason(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), MaxReason)], "")
	text = strings.TrimSpace(strings.Map(printable, text))
	if text == "" {
		return "no reason is given"
	}
	return text
}

// printable is a rune that may stand in a line; others are blanks.
func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}
