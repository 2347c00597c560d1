package main

import (
	"context"
	"encoding/json"
)

type confirmCmd struct {
	serverFlags
	Hold  string `arg:"" type:"ident" help:"The hold."`
	later `embed:"" group:"What is booked:"`
}

// Run makes a schedule of a hold.
func (c *confirmCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	doc, err := json.Marshal(c.doc())
	if err != nil {
		return err
	}
	body, err := client.post(ctx, client.url(nil, "holds", c.Hold, "confirm"), doc)
	if err != nil {
		return aboutBooking(err, "hold", c.Hold)
	}
	return printMade(c.printer(con), body)
}
