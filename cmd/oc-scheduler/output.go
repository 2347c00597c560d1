package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"
)

// output is the output of an execution, as a replica streams it.
type output struct {
	*eventStream
	p      *printer
	stderr *sink
	end    executionDoc // how the execution stands at the end
}

// patienceOfOutput is that with a replica that does not answer, or a node that does not.
const patienceOfOutput = time.Minute

// outputOf asks for an output; without a tail for all of it.
func (c *client) outputOf(p *printer, executionID string, follow bool, tail *int) *output {
	query := url.Values{}
	if follow {
		query.Set("follow", "true")
	}
	if tail != nil {
		query.Set("tail", fmt.Sprint(*tail))
	}
	o := &output{p: p, stderr: &sink{name: "standard error", w: p.con.stderr}}
	o.eventStream = c.streamOf(c.url(query, "executions", executionID, "logs"), o.write)
	o.patience = patienceOfOutput
	return o
}

// copy writes the output until it ends, over drains and outages, and returns how the execution stands
// then.
func (o *output) copy(ctx context.Context) (executionDoc, error) {
	err := o.read(ctx)
	return o.end, err
}

// write writes output, and keeps the execution at its end.
func (o *output) write(e serverEvent) (end bool, err error) {
	switch e.name {
	case "output":
		var chunk struct {
			Source string `json:"source"`
			Data   []byte `json:"data"`
		}
		if err := json.Unmarshal([]byte(e.data), &chunk); err != nil {
			return false, err
		}
		return false, o.said(chunk.Source, chunk.Data)
	case "end":
		if err = json.Unmarshal([]byte(e.data), &o.end); err == nil && o.p.structured() {
			err = o.p.line([]byte(e.data))
		}
		return true, err
	}
	return false, nil
}

// said writes output to where the execution has written it, for programs as a document.
func (o *output) said(source string, data []byte) error {
	if !o.p.structured() {
		to := o.p.con.stdout
		if source == "stderr" {
			to = o.stderr
		}
		_, err := to.Write(data)
		return err
	}
	doc, err := json.Marshal(struct {
		Source string `json:"source"`
		Text   string `json:"text"`
	}{source, string(data)})
	if err != nil {
		return err
	}
	return o.p.line(doc)
}
