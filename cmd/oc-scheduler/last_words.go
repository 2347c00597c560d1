package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"oc-scheduler/store/execution"
	runs "oc-scheduler/store/run"
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
		return f.client.lastWords(ctx, f.id, c.part)
	}
	doc, err := f.client.get(ctx, f.client.url(nil, "schedules", f.id))
	if err != nil {
		return nil
	}
	now, err := readSchedule(doc)
	if err != nil {
		return nil
	}
	return f.client.lastWords(ctx, now.part(c.part).run, "")
}

// lastWords are the last lines that a step of a run printed, if it failed; without one those of all that did.
func (c *client) lastWords(ctx context.Context, runID, step string) (lines []string) {
	var r runs.Run
	if runID == "" || c.read(ctx, &r, "runs", runID) != nil {
		return nil
	}
	for _, s := range r.Steps {
		if s.State != runs.Failed || step != "" && s.ItemID != step {
			continue
		}
		for _, x := range s.Executions {
			if x.State == execution.Failed {
				lines = append(lines, c.saidBy(ctx, s.ItemID, x)...)
			}
		}
	}
	return lines
}

// saidBy are the last lines of an execution, with a line before them that says whose they are.
func (c *client) saidBy(ctx context.Context, step string, x runs.Execution) []string {
	head := fmt.Sprintf("  step %s on %s, attempt %d: %s", step, x.NodeID, x.Attempt, c.con.command("logs", x.ExecutionID))
	text, err := c.text(ctx, c.url(url.Values{"tail": {fmt.Sprint(lastLines)}}, "executions", x.ExecutionID, "logs"))
	if err != nil {
		return []string{head, "  | (its output can't be had: " + err.Error() + ")"}
	}
	lines := []string{head}
	for line := range strings.Lines(text) {
		lines = append(lines, "  | "+strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
	}
	return lines
}

// text reads an answer of plain text.
func (c *client) text(ctx context.Context, u *url.URL) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept", "text/plain")
	resp, err := ask(c.http, req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return "", readProblem(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxText))
	return string(body), err
}

// maxText bounds what is read of the last lines: they may be long.
const maxText = 64 << 10
