package main

import (
	"context"
	"encoding/json"
	"time"

	"oc-scheduler/client"
)

// output is where the output of an execution goes.
type output struct {
	p      *printer
	stderr *sink
}

// patienceOfOutput is that with a replica that does not answer, or a node that does not.
const patienceOfOutput = time.Minute

// copyOutput writes the output of an execution until it ends, over drains and outages, and returns how the execution
// stands then.
func (r *replica) copyOutput(ctx context.Context, p *printer, executionID string, which client.OutputRange) (*executionDoc, error) {
	o := &output{p, &sink{name: "standard error", w: p.con.stderr}}
	var was client.Answer
	end := &executionDoc{}
	for e, err := range r.FollowOutput(ctx, executionID, which, client.Patience(patienceOfOutput), client.Into(&was)) {
		switch {
		case err != nil:
		case e.Chunk != nil:
			err = o.said(e.Chunk.Source, e.Chunk.Data)
		case e.End != nil:
			end = (*executionDoc)(e.End)
			if p.structured() {
				err = p.line(was.Body)
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
