package main

import (
	"bytes"
	"testing"
)

// TestLegible shows what would steer a terminal, however it comes in pieces.
func TestLegible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\tb\r\nc\n":             "a\tb\nc\n",
		"\x1b]0;owned\a\x1b[2J":   "^[]0;owned^G^[[2J",
		"half\rdone":              "half^Mdone",
		"\u009b2J \x9b \x7f \x00": `\u009b2J \x9b ^? ^@`,
		"grün 日本 👩‍🔬 \ufffd":      "grün 日本 👩‍🔬 \ufffd",
		"cut \xe6\x97":            `cut \xe6\x97`,
		"cut\r":                   "cut^M",
	} {
		for piece := 1; piece <= len(text); piece++ {
			var shown bytes.Buffer
			l := &legible{w: &shown}
			for rest := []byte(text); len(rest) > 0; {
				n := min(piece, len(rest))
				if written, err := l.Write(rest[:n]); written != n || err != nil {
					t.Fatal(written, err)
				}
				rest = rest[n:]
			}
			if err := l.end(); err != nil || shown.String() != want {
				t.Errorf("%q in pieces of %d: %q, %v", text, piece, shown.String(), err)
			}
		}
	}
}
