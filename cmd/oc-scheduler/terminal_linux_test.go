package main

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/creack/pty"
)

// terminal is a terminal of 24 rows in front of which somebody sits.
type terminal struct {
	mu   sync.Mutex
	came bytes.Buffer
}

// onTerminal runs a command in front of a terminal, and returns it, and what the command ends with.
func onTerminal(ctx context.Context, t *testing.T, env map[string]string, args ...string) (*terminal, <-chan outcome) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(theirs, &pty.Winsize{Rows: 24, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	on := &terminal{}
	all := make(chan struct{})
	go func() {
		defer close(all)
		buf := make([]byte, 4096)
		for {
			n, err := ours.Read(buf)
			on.mu.Lock()
			on.came.Write(buf[:n])
			on.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	end := make(chan outcome, 1)
	go func() {
		var stderr bytes.Buffer
		code := run(ctx, args, lookupIn(env), theirs, &stderr)
		_ = theirs.Close()
		<-all
		_ = ours.Close()
		end <- outcome{code, on.shows(), stderr.String()}
	}()
	return on, end
}

// raw is all that was written.
func (o *terminal) raw() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.came.String()
}

var sequence = regexp.MustCompile(`^\x1b\[(\??)([0-9]*)([A-Za-z])`)

// shows is what stands on it now, without colours.
func (o *terminal) shows() string {
	rows, at, column := [][]rune{nil}, 0, 0
	cut := func() { rows[at] = rows[at][:min(column, len(rows[at]))] }
	for text := o.raw(); text != ""; {
		if m := sequence.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[2])
			switch m[1] + m[3] {
			case "A":
				at = max(0, at-n)
			case "H":
				at, column = 0, 0
			case "J":
				cut()
				rows = rows[:at+1]
			case "K":
				cut()
			}
			text = text[len(m[0]):]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		switch r {
		case '\r':
			column = 0
		case '\n':
			if at++; at == len(rows) {
				rows = append(rows, nil)
			}
		default:
			if column < len(rows[at]) {
				rows[at][column] = r
			} else {
				rows[at] = append(rows[at], r)
			}
			column++
		}
		text = text[size:]
	}
	var shown strings.Builder
	for i, row := range rows {
		if i > 0 {
			shown.WriteByte('\n')
		}
		shown.WriteString(string(row))
	}
	return shown.String()
}
