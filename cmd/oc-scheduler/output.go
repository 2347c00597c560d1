package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// output is the output of an execution, as a replica streams it.
type output struct {
	stdout, stderr *sink
	http           *http.Client
	url            *url.URL
	at             string // the last event that was written
}

// outputOf asks for an output; without a tail for all of it.
func (c *client) outputOf(con *console, executionID string, follow bool, tail *int) *output {
	query := url.Values{}
	if follow {
		query.Set("follow", "true")
	}
	if tail != nil {
		query.Set("tail", fmt.Sprint(*tail))
	}
	return &output{
		stdout: con.stdout, stderr: &sink{name: "standard error", w: con.stderr},
		http: &http.Client{Transport: c.http.Transport},
		url:  c.url(query, "executions", executionID, "logs"),
	}
}

const (
	patienceOfOutput = time.Minute      // with a replica that does not answer, or a node that does not
	silence          = 40 * time.Second // of a connection, which has a comment every 15 s
)

// copy writes the output until it ends, over drains and outages, and returns how the execution stands
// then.
func (o *output) copy(ctx context.Context) (executionDoc, error) {
	delays := backoff.NewExponentialBackOff()
	delays.MaxInterval = 5 * time.Second
	for began := time.Now(); ; {
		before := o.at
		end, err := o.follow(ctx)
		if o.at != before {
			delays.Reset()
			began = time.Now()
		}
		switch {
		case err == nil:
			return *end, nil
		case ctx.Err() != nil:
			return executionDoc{}, ctx.Err()
		case final(err) || time.Since(began) > patienceOfOutput:
			return executionDoc{}, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(delays.NextBackOff()):
		}
	}
}

// follow writes what comes over one connection; the end is an error unless it is that of the output.
func (o *output) follow(ctx context.Context) (end *executionDoc, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/event-stream")
	if o.at != "" {
		r.Header.Set("Last-Event-ID", o.at)
	}
	resp, err := ask(o.http, r) // it has no timeout, which would be one for the whole stream
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, readProblem(resp)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	var e serverEvent
	for lines.Scan() {
		watchdog.Reset(silence)
		if !e.add(lines.Text()) {
			continue
		}
		if end, err := o.take(e); err != nil || end != nil {
			return end, err
		}
		e = serverEvent{}
	}
	if err := lines.Err(); err != nil {
		return nil, &unreachableError{o.url.Host, true, err}
	}
	return nil, errors.New("the connection was lost")
}

// take writes output, and returns the execution at its end.
func (o *output) take(e serverEvent) (*executionDoc, error) {
	switch e.name {
	case "output":
		var chunk struct {
			Source string `json:"source"`
			Data   []byte `json:"data"`
		}
		if err := json.Unmarshal([]byte(e.data), &chunk); err != nil {
			return nil, err
		}
		to := o.stdout
		if chunk.Source == "stderr" {
			to = o.stderr
		}
		if _, err := to.Write(chunk.Data); err != nil {
			return nil, err
		}
		o.at = e.id
		return nil, nil
	case "end":
		end := &executionDoc{}
		return end, json.Unmarshal([]byte(e.data), end)
	case "error":
		p := &problem{}
		if err := json.Unmarshal([]byte(e.data), p); err != nil {
			return nil, err
		}
		return nil, p
	}
	return nil, nil
}
