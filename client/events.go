package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"
)

// maxEvent bounds an event: a run of thousands of steps is one.
const maxEvent = 16 << 20

// event is a server-sent event.
type event struct{ name, id, data string }

// add takes in a line; it is true at the end of an event that is more than a comment.
func (e *event) add(line string) (complete bool) {
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch {
	case line == "":
		return e.name != ""
	case field == "event":
		e.name = value
	case field == "id":
		e.id = value
	case field == "data":
		e.data = strings.TrimPrefix(e.data+"\n"+value, "\n")
	}
	return false
}

// errEnded is that a replica has ended a stream: there is nothing more to come, which the next answer says, or it drains.
var errEnded = errors.New("the stream was ended")

// errEnough is that whoever reads a stream has had what it wanted.
var errEnough = errors.New("the reader has left")

// stream has take called with each event at an address, over as many connections as that takes, until there is
// nothing more to come, take returns an error, or nothing but failures comes. take must not return a temporary error.
func (c *Client) stream(ctx context.Context, r request, options []CallOption, take func(event) error) error {
	o := newCall(endless, options)
	for tries := newAttempts(o); ; {
		err := c.connected(ctx, r, o, func(e event) error {
			if e.name == "error" {
				return problemIn([]byte(e.data))
			}
			if o.answer != nil {
				*o.answer = Answer{Status: http.StatusOK, Body: []byte(e.data)}
			}
			err := take(e)
			if e.id != "" {
				o.after = e.id
				tries.came()
			}
			return err
		})
		if err == nil || errors.Is(err, errEnough) {
			return nil
		}
		if err := tries.again(ctx, err); err != nil {
			return err
		}
	}
}

// problemIn is the problem that an event or a frame tells of.
func problemIn(doc []byte) error {
	p := &Problem{Document: doc}
	if err := json.Unmarshal(doc, p); err != nil {
		return err
	}
	return p
}

// connected has what comes over one connection taken. The end of the connection is an error, that of the stream is none.
func (c *Client) connected(ctx context.Context, r request, o *call, take func(event) error) error {
	ctx, ear, done := listening(ctx)
	defer done()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url(r, o).String(), nil)
	if err != nil {
		return err
	}
	maps.Copy(req.Header, o.header)
	req.Header.Set("Accept", "text/event-stream")
	if o.after != "" {
		req.Header.Set("Last-Event-ID", o.after)
	}
	resp, err := ask(&http.Client{Transport: c.wire}, req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNoContent: // there is nothing more to be told
		return nil
	default:
		return readProblem(resp)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxEvent)
	for e := (event{}); lines.Scan(); {
		ear.heard()
		if !e.add(lines.Text()) {
			continue
		}
		if err := ear.closed(func() error { return take(e) }); err != nil {
			return err
		}
		e = event{}
	}
	err = lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	if err == nil {
		err = errEnded
	}
	return &UnreachableError{req.URL.Host, true, whyEnded(ctx, err)}
}
