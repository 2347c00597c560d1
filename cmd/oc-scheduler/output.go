package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"time"

	"oc-scheduler/client"
)

// output is where the output of an execution goes.
type output struct {
	p  *printer
	to map[string]io.Writer // by the source
}

func (p *printer) output(raw bool) *output {
	stdout, stderr := p.con.stdout, &sink{name: "standard error", w: p.con.stderr}
	o := &output{p, map[string]io.Writer{"stdout": stdout, "stderr": stderr}}
	if !raw && isTerminal(stdout.w) {
		o.to["stdout"] = &legible{w: stdout}
	}
	if !raw && isTerminal(stderr.w) {
		o.to["stderr"] = &legible{w: stderr}
	}
	return o
}

// patienceOfOutput is that with a replica that does not answer, or a node that does not.
const patienceOfOutput = time.Minute

// copyOutput writes the output of an execution until it ends, over drains and outages, and returns how the execution
// stands then.
func (r *replica) copyOutput(ctx context.Context, o *output, executionID string, which client.OutputRange) (end *executionDoc, err error) {
	defer func() { err = cmp.Or(err, o.end()) }()
	var was client.Answer
	end = &executionDoc{}
	for e, err := range r.FollowOutput(ctx, executionID, which, client.Patience(patienceOfOutput), client.Into(&was)) {
		switch {
		case err != nil:
		case e.Chunk != nil:
			err = o.said(e.Chunk.Source, e.Chunk.Data)
		case e.End != nil:
			end = (*executionDoc)(e.End)
			if o.p.structured() {
				err = o.p.line(was.Body)
			}
		}
		if err != nil {
			return end, err
		}
	}
	return end, nil
}

// said writes output to where the execution has written it, for programs as a document.
func (o *output) said(source string, data []byte) error {
	if !o.p.structured() {
		to := o.to[source]
		if to == nil {
			to = o.to["stdout"]
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

// end writes what is left of what could not be told yet.
func (o *output) end() error {
	for _, to := range o.to {
		if l, ok := to.(*legible); ok {
			if err := l.end(); err != nil {
				return err
			}
		}
	}
	return nil
}
