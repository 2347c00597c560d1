package client

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// OutputRange says how much of an output is asked for.
type OutputRange struct {
	Follow bool // wait for its start, and for more until it ends
	Tail   *int // the last lines only, and what follows them; nil: all
}

func (o OutputRange) query() url.Values {
	query := url.Values{}
	if o.Follow {
		query.Set("follow", "true")
	}
	if o.Tail != nil {
		query.Set("tail", strconv.Itoa(*o.Tail))
	}
	return query
}

// OutputChunk is a part of an output.
type OutputChunk struct {
	Source string    `json:"source"` // stdout, stderr
	Time   time.Time `json:"time,omitzero"`
	Data   []byte    `json:"data"`
	Offset uint64    `json:"offset"`
}

// OutputEvent is what comes of an output: a part of it, or in the end the execution.
type OutputEvent struct {
	ID    string // After goes on after it
	Chunk *OutputChunk
	End   *Execution
}

// GetOutput reads both outputs of an execution as they were written. A read that fails was not the end. The reader is to
// be closed.
func (c *Client) GetOutput(ctx context.Context, executionID string, which OutputRange, options ...CallOption) (io.ReadCloser, error) {
	r, o := outputOf(executionID, which), newCall(0, options)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url(r, o).String(), nil)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, o.header)
	req.Header.Set("Accept", "text/plain")
	resp, err := ask(&http.Client{Transport: c.wire}, req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer func() { _ = resp.Body.Close() }() // it was only read
		return nil, readProblem(resp)
	}
	return resp.Body, nil
}

func outputOf(executionID string, which OutputRange) request {
	return request{path: []string{"executions", executionID, "logs"}, query: which.query()}
}

// FollowOutput yields both outputs of an execution in the order in which they were written, and in the end the execution.
func (c *Client) FollowOutput(ctx context.Context, executionID string, which OutputRange, options ...CallOption) iter.Seq2[OutputEvent, error] {
	return func(yield func(OutputEvent, error) bool) {
		err := c.stream(ctx, outputOf(executionID, which), options, func(e event) (err error) {
			told := OutputEvent{ID: e.id}
			switch e.name {
			case "output":
				told.Chunk = &OutputChunk{}
				err = json.Unmarshal([]byte(e.data), told.Chunk)
			case "end":
				told.End = &Execution{}
				err = json.Unmarshal([]byte(e.data), told.End)
			default: // of a newer replica
				return nil
			}
			if err == nil && (!yield(told, nil) || told.End != nil) {
				err = errEnough
			}
			return err
		})
		if err != nil {
			yield(OutputEvent{}, err)
		}
	}
}
