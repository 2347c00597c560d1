package main

import (
	"context"
	"time"

	"oc-scheduler/client"
)

type scheduleCmd struct {
	booking
	recurring `embed:"" group:"What is booked:"`
	Wait      bool `group:"What is booked:" help:"Follow it until it is over: what becomes of each occurrence, and what the steps print that fail. Ctrl-C ends the following, what is booked stays. Exits with 4 when not all of it completed."`
}

// recurring is a wish that may come again and again.
type recurring struct {
	wish
	Cron         string `placeholder:"EXPRESSION" help:"When it comes again, such as '0 9 * * MON' or @daily; then --start is the earliest, and --end gives only the length."`
	TimeZone     string `placeholder:"ZONE" help:"The time zone of --cron, such as Europe/Paris; without it UTC."`
	Until        when   `placeholder:"TIME" help:"The last start; written as --start is."`
	Count        *int   `placeholder:"N" help:"How many times."`
	Gap          string `placeholder:"RULE" help:"A local time that does not exist: shift (the default) to the first instant after the gap, or skip."`
	Ambiguity    string `placeholder:"RULE" help:"A local time that exists twice: first (the default), last or both."`
	Overlap      string `placeholder:"RULE" help:"One that begins before the one before it ends: skip (the default) or allow."`
	AllOrNothing bool   `help:"Book nothing if one of the times can't be booked."`
	later
}

// later is what matters once it is booked.
type later struct {
	CatchUp     *time.Duration    `placeholder:"TIME" help:"How late a run may still start; without it 5m."`
	Preemptible bool              `help:"Others may displace it."`
	Label       map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"A label, to list it by; repeatable."`
}

// laterDoc is that as requests have it.
type laterDoc struct {
	CatchUpS    *float64          `json:"catch_up_s,omitempty"`
	Preemptible bool              `json:"preemptible,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

func (l *later) doc() laterDoc { return laterDoc{seconds(l.CatchUp), l.Preemptible, l.Label} }

// doc is the flags as they are sent.
func (r *recurring) doc() (any, error) {
	wish, err := r.wish.doc()
	return struct {
		wishDoc
		Cron         string `json:"cron,omitempty"`
		TimeZone     string `json:"time_zone,omitempty"`
		Until        string `json:"until,omitempty"`
		Count        *int   `json:"count,omitempty"`
		Gap          string `json:"gap,omitempty"`
		Ambiguity    string `json:"ambiguity,omitempty"`
		Overlap      string `json:"overlap,omitempty"`
		AllOrNothing bool   `json:"all_or_nothing,omitempty"`
		laterDoc
	}{wish, r.Cron, r.TimeZone, r.Until.at(r.Start.from(time.Now())), r.Count, r.Gap, r.Ambiguity, r.Overlap, r.AllOrNothing, r.later.doc()}, err
}

// Run books, and prints what was booked, or what stands against it. The exit code tells which.
func (c *scheduleCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	wish, err := c.doc()
	if err != nil {
		return err
	}
	body, err := c.request(con, wish, func(options ...client.CallOption) error {
		_, err := replica.BookSchedule(ctx, c.Workflow, client.ScheduleRequest{}, options...)
		return err
	})
	if err != nil {
		return c.doubt(con, err)
	}
	if c.Wait {
		f := &follower{p: c.printer(con), replica: replica, followed: ofSchedule(replica)}
		return f.follow(ctx, body)
	}
	return printMade(c.printer(con), body)
}

// printMade prints a schedule that was just made, or changed.
func printMade(p *printer, body []byte) error {
	return printDoc(p, body, func(s *client.Schedule, w *paper) error { return printSchedule(w, s, fewOccurrences) })
}
