package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"oc-scheduler/client"
)

const (
	lastLines  = 20               // are shown of the output of what has failed
	lastWithin = 10 * time.Second // they are waited for
)

// lastWords are the last lines of what has failed, if it is a part that ran.
func (f *follower) lastWords(ctx context.Context, c change) []string {
	if c.state != "failed" || c.part == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lastWithin)
	defer cancel()
	if f.kind == "run" {
		return f.replica.lastWords(ctx, f.id, c.part)
	}
	s, err := f.replica.GetSchedule(ctx, f.id)
	if err != nil {
		return nil
	}
	now := courseOfSchedule(s)
	return f.replica.lastWords(ctx, now.part(c.part).run, "")
}

// lastWords are the last lines that a step of a run printed, if it failed; without one those of all that did.
func (r *replica) lastWords(ctx context.Context, runID, step string) (lines []string) {
	if runID == "" {
		return nil
	}
	run, err := r.GetRun(ctx, runID)
	if err != nil {
		return nil
	}
	for _, s := range run.Steps {
		if s.State != "failed" || step != "" && s.ItemID != step {
			continue
		}
		for _, x := range s.Executions {
			if x.State == "failed" {
				lines = append(lines, r.saidBy(ctx, s.ItemID, x)...)
			}
		}
	}
	return lines
}

// saidBy are the last lines of an execution, with a line before them that says whose they are.
func (r *replica) saidBy(ctx context.Context, step string, x client.RunExecution) []string {
	head := fmt.Sprintf("  step %s on %s, attempt %d: %s", step, x.NodeID, x.Attempt, r.con.command("logs", x.ExecutionID))
	text, err := r.lastOf(ctx, x.ExecutionID)
	if err != nil {
		return []string{head, "  | (its output can't be had: " + err.Error() + ")"}
	}
	lines := []string{head}
	for line := range strings.Lines(text) {
		lines = append(lines, "  | "+strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
	}
	return lines
}

// lastOf are the last lines that an execution printed.
func (r *replica) lastOf(ctx context.Context, executionID string) (string, error) {
	out, err := r.GetOutput(ctx, executionID, client.OutputRange{Tail: new(lastLines)})
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(out, maxText))
	return string(text), err
}

// maxText bounds what is read of the last lines: they may be long.
const maxText = 64 << 10
