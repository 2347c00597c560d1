package main

import "context"

type demoCmd struct{ serveCmd }

func (c *demoCmd) Run(ctx context.Context, con *console) error { return c.serveCmd.Run(ctx, con) }
