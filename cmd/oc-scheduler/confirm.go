package main

import (
	"context"
	"encoding/json"

	"oc-scheduler/client"
)

type confirmCmd struct {
	serverFlags
	Hold  string `arg:"" type:"ident" help:"The hold."`
	later `embed:"" group:"What is booked:"`
}

// Run makes a schedule of a hold.
func (c *confirmCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	doc, err := json.Marshal(c.doc())
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.ConfirmHold(ctx, c.Hold, client.ConfirmRequest{}, client.Body(doc), client.Into(&was)); err != nil {
		return aboutBooking(err, "hold", c.Hold)
	}
	return printMade(c.printer(con), was.Body)
}
