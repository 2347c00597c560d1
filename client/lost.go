package client

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"

	"github.com/coder/websocket"
)

// UnreachableError says that nobody has answered.
type UnreachableError struct {
	Host  string
	Asked bool // there was a connection: what was asked may have been heard
	Err   error
}

// Error names the host, and not the address, which may hold a password.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no replica answers at %s: %v", e.Host, e.Err)
}

// Unwrap is what went wrong.
func (e *UnreachableError) Unwrap() error { return e.Err }

// ClosedError says that the server has closed a WebSocket; docs/clients.md has the codes.
type ClosedError struct {
	Code   int
	Reason string
}

// Error is the reason, and the code.
func (e *ClosedError) Error() string {
	return fmt.Sprintf("the stream was closed with %d %s", e.Code, e.Reason)
}

// Temporary tells whether trying again may be of use: the answer might be another one.
func Temporary(err error) bool {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.Status >= http.StatusInternalServerError || p.Status == http.StatusTooManyRequests ||
			p.Status == http.StatusConflict && p.RetryAfter > 0 // the same request is in progress
	}
	if c, ok := errors.AsType[*ClosedError](err); ok {
		ours := c.Code >= 4400 && c.Code < 4500 // a status, and 4000
		return !ours && c.Code != int(websocket.StatusNormalClosure) && c.Code != int(websocket.StatusPolicyViolation) &&
			c.Code != int(websocket.StatusMessageTooBig) || c.Code == 4000+http.StatusTooManyRequests
	}
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return false
	}
	_, unreachable := errors.AsType[*UnreachableError](err)
	return unreachable
}

// InDoubt tells whether what was asked for may have come about, though the answer was this error.
func InDoubt(err error) bool {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.Status >= http.StatusInternalServerError
	}
	unreachable, ok := errors.AsType[*UnreachableError](err)
	return err != nil && (!ok || unreachable.Asked)
}

// ask sends a request. Its error is an *UnreachableError.
func ask(c *http.Client, r *http.Request) (*http.Response, error) {
	var asked atomic.Bool // a dial may go on in the background
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { asked.Store(true) }}
	resp, err := c.Do(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
	if err != nil {
		return nil, &UnreachableError{r.URL.Host, asked.Load(), unaddressed(err)}
	}
	return resp, nil
}

// unaddressed is an error without the address that was asked, which may hold a password.
func unaddressed(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
