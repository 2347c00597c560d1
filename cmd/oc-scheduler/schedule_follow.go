package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"oc-scheduler/store/schedule"
)

// lookEvery is how often a schedule is looked at that somebody follows.
const lookEvery = time.Second

// follower tells how a schedule or a run goes on.
type follower struct {
	con   *console
	json  bool
	known map[string]string // how each occurrence stands, by its nominal time; or each step
	lost  bool              // the last look failed
	shown []byte            // the document printed last
}

// follow prints a schedule and its changes until it is over, or ctx ends.
func (f *follower) follow(ctx context.Context, client *client, s *schedule.Schedule, body []byte) error {
	id := s.ID
	for {
		if err := f.show(s, body); err != nil {
			return err
		}
		if over(s) {
			return f.exit()
		}
		var err error
		if body, err = f.look(ctx, client, "schedules", id); err != nil {
			return aboutBooking(err, "schedule", id)
		}
		s = &schedule.Schedule{}
		if err := json.Unmarshal(body, s); err != nil {
			return err
		}
	}
}

// look reads what is followed after a while. It goes on over outages.
func (f *follower) look(ctx context.Context, client *client, kind, id string) ([]byte, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookEvery):
		}
		body, err := client.get(ctx, client.url(nil, kind, id))
		if err == nil || final(err) || ctx.Err() != nil {
			f.lost = false
			return body, err
		}
		if !f.lost {
			_, _ = fmt.Fprintf(f.con.stderr, "%v; trying again\n", err)
		}
		f.lost = true
	}
}

// show prints the schedule the first time, and then what has changed; of JSON each version.
func (f *follower) show(s *schedule.Schedule, body []byte) error {
	first := f.shown == nil
	if bytes.Equal(f.shown, body) {
		return nil
	}
	f.shown = body
	changes := f.changes(s)
	switch {
	case f.json:
		_, err := fmt.Fprintf(f.con.stdout, "%s\n", bytes.TrimSpace(body))
		return err
	case first:
		return printSchedule(f.con.stdout, s, fewOccurrences)
	}
	for _, change := range changes {
		if _, err := fmt.Fprintln(f.con.stdout, printable(change)); err != nil {
			return err
		}
	}
	return nil
}

// changes are what has changed since the last look, a line each.
func (f *follower) changes(s *schedule.Schedule) (lines []string) {
	for _, o := range s.Occurrences {
		name, state := nominal(o.Nominal), stateOf(&o)
		lines = f.note(lines, name, state)
	}
	if s.State.Final() {
		lines = append(lines, s.ID+": "+standing(s))
	}
	return lines
}

// over says whether nothing changes any more that somebody waits for: a schedule of one time stands until its
// window ends, though what was to run may have completed before.
func over(s *schedule.Schedule) bool {
	if s.State.Final() {
		return true
	}
	open := func(o schedule.Occurrence) bool { return !slices.Contains(ends, string(o.State)) }
	return timingOf(s.Request).Cron == "" && !slices.ContainsFunc(s.Occurrences, open)
}

// ends are the states of an occurrence, or of its run, that are the last.
var ends = []string{"completed", "failed", "cancelled", "missed", "displaced", "skipped"}

// exit tells whether all that was followed has completed.
func (f *follower) exit() error {
	for _, state := range f.known {
		if state != "completed" {
			return &exitError{code: exitIncomplete}
		}
	}
	return nil
}
