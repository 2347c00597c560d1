package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"oc-scheduler/client"
)

// watch follows the answers over drains and outages until ctx ends; its exit code is that of the last one.
func (c *checkCmd) watch(ctx context.Context, con *console, replica *replica, request []byte) error {
	w := &watcher{p: c.printer(con)}
	if w.p.forPeople() {
		w.screen = con.screen()
	}
	var frame client.Answer
	tell := client.OnLost(func(err error, pause time.Duration) {
		_, _ = fmt.Fprintf(con.stderr, "%s; trying again in %v\n", lost(err), pause.Round(time.Millisecond))
	})
	for answer, err := range replica.WatchWorkflow(ctx, c.Workflow, client.CheckRequest{}, client.Body(request), client.Into(&frame), tell) {
		switch {
		case err == nil:
			err = w.show(frame.Body, (*result)(answer))
		case ctx.Err() != nil && w.last != nil:
			err = w.last.exit()
		case ctx.Err() != nil:
			err = errors.New("interrupted before the first answer")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// watcher prints the answers of one stream.
type watcher struct {
	p      *printer
	screen *screen // nil: there is none

	last  *result
	shown string // what was printed last
}

// show prints an answer unless the reader has it before his eyes: much of what changes a version
// shows in no table, and a new connection begins with what was known. Of JSON each version is told.
func (w *watcher) show(frame []byte, answer *result) error {
	w.last = answer
	if !w.p.forPeople() {
		if answer.Version == w.shown {
			return nil
		}
		w.shown = answer.Version
		return w.p.line(frame)
	}
	var text strings.Builder
	on := *w.p.paper
	on.Writer, on.now = &text, time.Now()
	if err := answer.print(&on); err != nil || text.String() == w.shown {
		return err
	}
	w.shown = text.String()
	if w.screen != nil {
		return w.screen.draw(strings.Split(strings.TrimSuffix(w.shown, "\n"), "\n"))
	}
	_, err := io.WriteString(w.p, w.shown+"\n")
	return err
}
