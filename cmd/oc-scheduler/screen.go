package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// screen is a terminal on which some lines are drawn again and again, in place.
type screen struct {
	w      io.Writer
	height func() int
	paint  painter

	lines []string // that stand there
}

// redraw is the time between two pictures of what moves by itself.
const redraw = 500 * time.Millisecond

// What a terminal is told: of lines that are too long the end is not shown, so that each takes one row.
const (
	noWrap, wrap = "\x1b[?7l", "\x1b[?7h"
	eraseLine    = "\x1b[K"
	eraseBelow   = "\x1b[J"
)

// screen is standard output as a terminal that can be drawn on; nil: it is none.
func (c *console) screen() *screen {
	f, ok := c.stdout.w.(*os.File)
	if kind, _ := c.env("TERM"); !ok || kind == "dumb" || !isTerminal(f) {
		return nil
	}
	height := func() int {
		_, rows, err := term.GetSize(int(f.Fd()))
		if err != nil || rows <= 0 {
			return 24
		}
		return rows
	}
	return &screen{w: c.stdout, height: height, paint: c.painter()}
}

// ticks tell when to draw anew; without a screen never.
func (s *screen) ticks() *time.Ticker {
	t := time.NewTicker(redraw)
	if s == nil {
		t.Stop()
	}
	return t
}

// draw puts lines where the last ones stood.
func (s *screen) draw(lines []string) error { return s.put(nil, lines) }

// above writes lines that stay, above those that are drawn.
func (s *screen) above(lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	stay := make([]string, len(lines))
	for i, line := range lines {
		stay[i] = printable(line)
	}
	return s.put(stay, s.lines)
}

func (s *screen) put(stay, lines []string) error {
	if most := s.height() - 1; len(lines) > most {
		hidden := len(lines) - max(most-1, 0)
		lines = append(lines[:len(lines)-hidden:len(lines)-hidden], "and "+strconv.Itoa(hidden)+" more")
	}
	var b strings.Builder
	if n := len(s.lines); n > 0 {
		b.WriteString("\x1b[" + strconv.Itoa(n) + "A")
	}
	b.WriteString("\r")
	for _, line := range stay {
		b.WriteString(line + eraseLine + "\n")
	}
	b.WriteString(noWrap)
	for _, line := range lines {
		b.WriteString(line + eraseLine + "\n")
	}
	b.WriteString(wrap + eraseBelow)
	s.lines = lines
	_, err := io.WriteString(s.w, b.String())
	return err
}
