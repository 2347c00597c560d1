package main

import "strconv"

// painter colours text, or leaves it as it is.
type painter bool

// painter colours what people see on a terminal who have not asked for none: https://no-color.org.
func (c *console) painter() painter {
	off, _ := c.env("NO_COLOR")
	kind, _ := c.env("TERM")
	return painter(off == "" && kind != "dumb" && isTerminal(c.stdout.w))
}

// colours are those of states, as SGR has them.
var colours = map[string]int{
	"completed": 32, "available": 32, "connected": 32, "approved": 32, "active": 32,
	"starting": 36, "running": 36, "queued": 36, "ordered": 36,
	"failed": 31, "missed": 31, "lost": 31, "unavailable": 31, "conflict": 31, "rejected": 31,
	"cancelled": 33, "displaced": 33, "skipped": 33, "paused": 33, "unknown": 33, "pending": 33,
}

// state colours what is said of a state.
func (p painter) state(state, text string) string {
	colour, known := colours[state]
	if !bool(p) || !known {
		return text
	}
	return "\x1b[" + strconv.Itoa(colour) + "m" + text + "\x1b[0m"
}
