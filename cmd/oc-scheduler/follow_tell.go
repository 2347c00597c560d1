package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"oc-scheduler/client"
)

// take shows what is new.
func (f *follower) take(ctx context.Context, n news) error {
	if n.lost != nil {
		return f.mourn(n.lost)
	}
	f.mourned = false
	changes := f.changes(n.event)
	if !f.p.forPeople() {
		return f.reread(ctx)
	}
	for _, c := range changes {
		if err := f.tell(ctx, c); err != nil {
			return err
		}
	}
	return f.draw()
}

// changes are what an event changes.
func (f *follower) changes(e happening) (changes []change) {
	switch {
	case e.state != nil:
		changes = f.now.until(e.state, time.Now())
		f.now = e.state
	case e.transition != nil:
		changes = f.now.apply(*e.transition)
	}
	return changes
}

// mourn says once that the replica does not answer.
func (f *follower) mourn(err error) error {
	if f.mourned {
		return nil
	}
	f.mourned = true
	line := lost(err) + "; trying again"
	if f.screen != nil {
		return f.screen.above([]string{line})
	}
	_, err = fmt.Fprintln(f.p.con.stderr, printable(line))
	return err
}

// tell says what has changed, and of what has failed what it printed. On a terminal the display says the former.
func (f *follower) tell(ctx context.Context, c change) error {
	var lines []string
	if f.screen == nil {
		lines = []string{c.at.UTC().Format(time.RFC3339) + " " + c.text()}
	}
	lines = append(lines, f.lastWords(ctx, c)...)
	if f.screen == nil {
		return printLines(f.p, lines)
	}
	return f.screen.above(lines)
}

// reread prints the document if it is another one. The last one is waited for over outages; of one before it the next
// event brings a later version.
func (f *follower) reread(ctx context.Context) error {
	for {
		var was client.Answer
		err := f.get(ctx, f.id, client.Into(&was))
		switch {
		case err == nil:
			return f.version(was.Body)
		case final(err):
			return err
		case !f.now.over():
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// version prints a document unless it is the last one.
func (f *follower) version(doc []byte) error {
	doc = bytes.TrimSpace(doc)
	if bytes.Equal(doc, f.shown) || f.p.format == "name" && f.shown != nil {
		return nil
	}
	f.shown = slices.Clone(doc)
	return f.p.line(doc)
}

func (f *follower) draw() error {
	if f.screen == nil {
		return nil
	}
	return f.screen.draw(f.now.progress(time.Now(), f.screen.paint, f.screen.height()-3))
}
