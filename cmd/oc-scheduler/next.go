package main

import (
	"context"
	"encoding/json"

	"oc-scheduler/client"
)

// howMany is how many occurrences are told of.
type howMany struct {
	Number int `short:"n" name:"number" default:"10" placeholder:"N" help:"How many."`
}

type nextCmd struct {
	serverFlags
	Schedule string `arg:"" type:"ident" help:"The schedule."`
	howMany  `embed:"" group:"What is listed:"`
	watched  `embed:"" group:"What is listed:"`
}

// Run lists the occurrences of a schedule that come next.
func (c *nextCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return aboutBooking(list{
		from: whole(func(ctx context.Context, into client.CallOption) error {
			_, err := replica.NextOccurrences(ctx, c.Schedule, c.Number, into)
			return err
		}),
		watched: c.watched,
		header:  "OCCURRENCE START END STATE", row: comingRow, none: "Nothing comes of it.",
	}.print(ctx, c.printer(con)), "schedule", c.Schedule)
}

func comingRow(item json.RawMessage) ([]any, error) {
	var o client.Coming
	err := json.Unmarshal(item, &o)
	return []any{nominal(o.Nominal), o.Start, o.End, o.State}, err
}
