package main

import (
	"context"
	"fmt"
	"time"
)

// tellAbsence tells somebody who has ordered something of a node that nothing begins soon: the node is
// not there. That it can't be asked about is no fault of the order.
func (r *replica) tellAbsence(ctx context.Context, con *console, nodeID string) {
	n, err := r.GetNode(ctx, nodeID)
	if err != nil || n.State == "connected" {
		return
	}
	_, _ = fmt.Fprintf(con.stderr, "node %s is %s; the order waits until it is back\n", printable(n.NodeID), printable(n.State))
}

// leaveWithin bounds the last question of somebody who wants to leave.
const leaveWithin = 2 * time.Second

// leftBehind says what somebody leaves behind who waited for an execution and goes.
func (r *replica) leftBehind(ctx context.Context, executionID string) error {
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	left := "the execution goes on"
	if e, err := r.GetExecution(ctx, executionID); err == nil && (e.State == "ordered" || e.State == "queued") {
		left = "the order still waits"
	}
	return fmt.Errorf("interrupted; %s: %s, %s", left, r.con.command("logs", "-f", executionID), r.con.command("cancel", executionID))
}
