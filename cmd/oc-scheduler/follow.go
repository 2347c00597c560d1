package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"oc-scheduler/store/history"
)

// follower tells how a run or a schedule goes on, until it is over: on a terminal as a display that is drawn anew,
// elsewhere as a line a change, for programs each version.
type follower struct {
	p      *printer
	client *client
	kind   string // run or schedule
	id     string
	read   func(doc []byte) (*course, error)
	print  func(*printer, []byte) error // how it is shown at first

	now    *course
	shown  []byte // the document that was printed last
	screen *screen
}

// news is an event of the stream that is followed, an outage of it, or its end.
type news struct {
	event serverEvent
	lost  error
	end   error
	over  bool
}

// follow shows what a document says, and then each change. The error tells by its exit code that not all has completed.
func (f *follower) follow(ctx context.Context, doc []byte) error {
	err := f.begin(doc)
	if err == nil && !f.now.over() {
		err = f.watch(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return &exitError{interrupted(ctx), fmt.Errorf("interrupted; %s: %s, %s", f.left(),
			f.p.con.command(f.kind+"s", f.id), f.p.con.command(f.kind+"s", "cancel", f.id))}
	case err != nil:
		return aboutBooking(err, f.kind, f.id)
	case !f.now.completed():
		return &exitError{code: exitIncomplete}
	}
	return nil
}

// left is what somebody leaves behind who follows and goes.
func (f *follower) left() string {
	if f.kind == "run" {
		return "the run goes on"
	}
	return "what is booked stays"
}

func (f *follower) begin(doc []byte) (err error) {
	if f.now, err = f.read(doc); err != nil {
		return err
	}
	f.id = f.now.id
	if !f.p.forPeople() {
		return f.version(doc)
	}
	if f.screen = f.p.con.screen(); f.screen == nil {
		return f.print(f.p, doc)
	}
	return f.draw()
}

// watch takes what the replica tells until all is over that is waited for.
func (f *follower) watch(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	came := make(chan news)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.listen(ctx, came)
	}()
	defer func() { <-ended }()
	defer cancel()
	ticks := f.screen.ticks()
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
			if err := f.draw(); err != nil {
				return err
			}
		case n := <-came:
			if n.over {
				return n.end
			}
			if err := f.take(ctx, n); err != nil || f.now.over() {
				return err
			}
		}
	}
}

// listen passes on what comes.
func (f *follower) listen(ctx context.Context, came chan<- news) {
	pass := func(n news) {
		select {
		case came <- n:
		case <-ctx.Done():
		}
	}
	s := f.client.streamOf(f.client.url(nil, f.kind+"s", f.id, "events"), func(e serverEvent) (bool, error) {
		pass(news{event: e})
		return false, nil
	})
	s.lost = func(err error) { pass(news{lost: err}) }
	pass(news{end: s.read(ctx), over: true})
}

// take shows what is new.
func (f *follower) take(ctx context.Context, n news) error {
	if n.lost != nil {
		return f.mourn(n.lost)
	}
	changes, err := f.changes(n.event)
	if err != nil {
		return err
	}
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
func (f *follower) changes(e serverEvent) (changes []change, err error) {
	switch e.name {
	case "state":
		now, err := f.read([]byte(e.data))
		if err != nil {
			return nil, err
		}
		changes = f.now.until(now, time.Now())
		f.now = now
	case "transition":
		var it history.Item
		if err := json.Unmarshal([]byte(e.data), &it); err != nil {
			return nil, err
		}
		changes = f.now.apply(it)
	}
	return changes, nil
}

// mourn says that the replica does not answer.
func (f *follower) mourn(err error) error {
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
		doc, err := f.client.get(ctx, f.client.url(nil, f.kind+"s", f.id))
		switch {
		case err == nil:
			return f.version(doc)
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
