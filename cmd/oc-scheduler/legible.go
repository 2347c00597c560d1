package main

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// rawOutput is for those who want what a node writes as it is, also on a terminal.
type rawOutput struct {
	Raw bool `group:"The output:" help:"Write it as it is, also on a terminal: else what would steer that is shown (^[ is Escape)."`
}

// legible writes what somebody else wrote to a terminal, which it must not steer: of control characters, tabs and the ends
// of lines alone count, and the others are shown, as cat -v shows them. What is not UTF-8 is shown in hexadecimals.
type legible struct {
	w    io.Writer
	left []byte // of a character, whose rest may come, or the end of a line
}

// Write implements io.Writer.
func (l *legible) Write(p []byte) (int, error) {
	text := append(l.left, p...)
	l.left = nil
	var shown bytes.Buffer
	for len(text) > 0 {
		if !utf8.FullRune(text) || text[0] == '\r' && len(text) == 1 {
			l.left = bytes.Clone(text)
			break
		}
		r, size := utf8.DecodeRune(text)
		if r != '\r' || text[1] != '\n' {
			show(&shown, r, text[:size])
		}
		text = text[size:]
	}
	if _, err := l.w.Write(shown.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// end writes what is left of something that is over.
func (l *legible) end() error {
	var shown bytes.Buffer
	for _, b := range l.left {
		if b == '\r' {
			show(&shown, '\r', nil)
		} else {
			show(&shown, utf8.RuneError, []byte{b})
		}
	}
	l.left = nil
	_, err := l.w.Write(shown.Bytes())
	return err
}

func show(to *bytes.Buffer, r rune, text []byte) {
	switch {
	case r == '\n' || r == '\t':
		to.WriteRune(r)
	case r < ' ' || r == 0x7f:
		to.WriteByte('^')
		to.WriteRune(r ^ 0x40)
	case r == utf8.RuneError && len(text) == 1:
		_, _ = fmt.Fprintf(to, `\x%02x`, text[0])
	case unicode.IsControl(r):
		_, _ = fmt.Fprintf(to, `\u%04x`, r)
	default:
		to.WriteRune(r)
	}
}
