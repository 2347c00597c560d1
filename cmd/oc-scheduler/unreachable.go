package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
)

// unreachableError says that a replica did not answer.
type unreachableError struct {
	host  string
	asked bool // there was a connection: what was asked may have been heard
	err   error
}

func (e *unreachableError) Error() string {
	return fmt.Sprintf("no replica answers at %s (is `oc-scheduler serve` running? --server): %v", e.host, e.err)
}

func (e *unreachableError) Unwrap() error { return e.err }

// ask sends a request. Its error is an *unreachableError, without what the reader typed: the address may
// hold a password.
func ask(c *http.Client, r *http.Request) (*http.Response, error) {
	var asked atomic.Bool // a dial may go on in the background
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { asked.Store(true) }}
	resp, err := c.Do(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if err != nil {
		return nil, &unreachableError{r.URL.Host, asked.Load(), err}
	}
	return resp, nil
}

// refused says whether what was asked of a replica did not come about, for certain.
func refused(err error) bool {
	if p, ok := errors.AsType[*problem](err); ok {
		return p.Status < http.StatusInternalServerError
	}
	unreachable, ok := errors.AsType[*unreachableError](err)
	return ok && !unreachable.asked
}
