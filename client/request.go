package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
)

// maxAnswer bounds what is read of one answer: a list of planners' details has some MiB.
const maxAnswer = 64 << 20

var errTooLong = errors.New("the answer is longer than 64 MiB")

// request is one as a method makes it of its arguments.
type request struct {
	method string
	path   []string // its segments, as they are
	query  url.Values
	body   any  // nil: none
	once   bool // done twice it is done once, or there would be two of it: it is not repeated when in doubt
}

// url is the address of a request.
func (c *Client) url(r request, o *call) *url.URL {
	segments := slices.Clone(r.path)
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	u := c.base.JoinPath(segments...)
	query := url.Values{}
	maps.Copy(query, r.query)
	maps.Copy(query, o.query)
	u.RawQuery = query.Encode()
	return u
}

// got asks until there is an answer, and reads it as a T.
func got[T any](ctx context.Context, c *Client, r request, options []CallOption) (*T, error) {
	a, err := c.send(ctx, r, options)
	if err != nil {
		return nil, err
	}
	doc := new(T)
	if err := json.Unmarshal(a.Body, doc); err != nil {
		return nil, err
	}
	return doc, nil
}

// done asks for what has no document as its answer.
func (c *Client) done(ctx context.Context, r request, options []CallOption) error {
	_, err := c.send(ctx, r, options)
	return err
}

// send asks until there is an answer of success. The error is a *Problem, ErrNotModified, an *UnreachableError, or
// the context's.
func (c *Client) send(ctx context.Context, r request, options []CallOption) (*Answer, error) {
	o := newCall(c.patience, options)
	doc := o.body
	if doc == nil && r.body != nil {
		var err error
		if doc, err = json.Marshal(r.body); err != nil {
			return nil, err
		}
	}
	if r.method == http.MethodPost && !r.once && o.header.Get("Idempotency-Key") == "" {
		o.header.Set("Idempotency-Key", rand.Text())
	}
	doubted := false
	for tries := newAttempts(o); ; {
		a, err := c.exchange(ctx, r, o, doc)
		if doubted && r.method == http.MethodDelete && (errors.Is(err, ErrNotFound) || errors.Is(err, ErrGone)) {
			a, err = &Answer{Status: http.StatusNoContent}, nil // a try before has done it
		}
		if err == nil {
			if o.answer != nil {
				*o.answer = *a
			}
			return a, nil
		}
		if o.patience == 0 || (r.once || o.conditional(r.method)) && InDoubt(err) {
			return nil, err
		}
		doubted = doubted || InDoubt(err)
		if err := tries.again(ctx, err); err != nil {
			return nil, err
		}
	}
}

// conditional says whether what was done would make the same request fail.
func (o *call) conditional(method string) bool {
	return method != http.MethodGet && (o.header.Get("If-Match") != "" || o.header.Get("If-None-Match") != "")
}

// exchange asks once.
func (c *Client) exchange(ctx context.Context, r request, o *call, doc []byte) (*Answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, c.url(r, o).String(), bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, o.header)
	req.Header.Set("Accept", "application/json")
	if doc != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := ask(&http.Client{Transport: c.wire, Timeout: answerWithin}, req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	switch {
	case resp.StatusCode == http.StatusNotModified:
		return nil, ErrNotModified
	case resp.StatusCode/100 != 2:
		return nil, readProblem(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, &UnreachableError{req.URL.Host, true, err}
	}
	if len(body) > maxAnswer {
		return nil, errTooLong
	}
	return &Answer{resp.StatusCode, resp.Header, body}, nil
}
