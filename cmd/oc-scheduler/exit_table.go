package main

import (
	"fmt"
	"io"
)

// exitCodes are all of them, and what they mean: the one table, for help and manual.
var exitCodes = []struct{ code, means string }{
	{"0", "It is done; the answer is yes: available, booked, completed; a service was told to end."},
	{"1", "Failed, or it is not known whether not. One line on standard error says why. Of doctor: something is a FAIL."},
	{"2", "check, preview: unavailable. What books: somebody else has taken what is needed."},
	{"3", "check, preview, what books: not known, for a planner is missing."},
	{"4", "start --follow, schedule --wait: it is over, and not all of it completed."},
	{"78", "serve, demo, peer: the configuration has to be mended; another start changes nothing."},
	{"124", "run: its time was over."},
	{"125", "run: it did not run. Other codes of run are those of what ran."},
	{"128+N", "Signal N ended it, or what ran: 130 is Ctrl-C before the end of what is waited for; --watch and logs -f end with 0, 2 or 3."},
}

// printExitCodes writes the table.
func printExitCodes(w io.Writer) error {
	if _, err := fmt.Fprintln(w, "\nExit codes:"); err != nil {
		return err
	}
	for _, c := range exitCodes {
		if _, err := fmt.Fprintf(w, "  %-6s  %s\n", c.code, c.means); err != nil {
			return err
		}
	}
	return nil
}
