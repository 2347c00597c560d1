package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// tellAbsence tells somebody who has ordered something of a node that nothing begins soon: the node is
// not there. That it can't be asked about is no fault of the order.
func (c *client) tellAbsence(ctx context.Context, con *console, nodeID string) {
	var n nodeDoc
	if err := c.read(ctx, &n, "nodes", nodeID); err != nil || n.State == "connected" {
		return
	}
	_, _ = fmt.Fprintf(con.stderr, "node %s is %s; the order waits until it is back\n", printable(n.NodeID), printable(n.State))
}

// leaveWithin bounds the last question of somebody who wants to leave.
const leaveWithin = 2 * time.Second

// leftBehind says what somebody leaves behind who waited for an execution and goes.
func (c *client) leftBehind(ctx context.Context, executionID string) error {
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	left := "the execution goes on"
	var e executionDoc
	if err := c.read(ctx, &e, "executions", executionID); err == nil && (e.State == "ordered" || e.State == "queued") {
		left = "the order still waits"
	}
	return fmt.Errorf("interrupted; %s: %s, %s", left, c.con.command("logs", "-f", executionID), c.con.command("cancel", executionID))
}

// read gets one document.
func (c *client) read(ctx context.Context, doc any, segments ...string) error {
	body, err := c.get(ctx, c.url(nil, segments...))
	if err != nil {
		return err
	}
	return json.Unmarshal(body, doc)
}
