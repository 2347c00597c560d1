package main

import (
	"context"
	"fmt"
	"time"

	"oc-scheduler/client"
)

// follower tells how a run or a schedule goes on, until it is over: on a terminal as a display that is drawn anew,
// elsewhere as a line a change, for programs each version.
type follower struct {
	p       *printer
	replica *replica
	followed
	id string

	now    *course
	shown  []byte // the document that was printed last
	screen *screen

	mourned bool // that nothing comes has been told
}

// news is an event of the stream that is followed, an outage of it, or its end.
type news struct {
	event happening
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
	lost := client.OnLost(func(err error, _ time.Duration) { pass(news{lost: err}) })
	for e, err := range f.events(ctx, f.id, lost) {
		if err != nil {
			pass(news{end: err, over: true})
			return
		}
		pass(news{event: e})
	}
	pass(news{over: true})
}
