package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// subprotocol names the check stream of this version.
const subprotocol = "oc.check.v1"

// WatchWorkflow yields the answer to a check, and another one after each change that makes one (checkWorkflow, as a
// WebSocket). It begins anew after each outage, with an answer that may have been told. Its errors end it: a *Problem or
// a *ClosedError when it was refused or the workflow went.
func (c *Client) WatchWorkflow(ctx context.Context, workflowID string, question CheckRequest, options ...CallOption) iter.Seq2[*CheckResult, error] {
	return func(yield func(*CheckResult, error) bool) {
		w := &watch{call: newCall(endless, options), ask: question, yield: yield}
		w.tries = newAttempts(w.call)
		for {
			err := c.watched(ctx, request{path: []string{"oc", workflowID, "check"}}, w)
			if errors.Is(err, errEnough) {
				return
			}
			if err := w.tries.again(ctx, err); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// watch is one stream of answers, whatever the number of its connections.
type watch struct {
	*call
	tries *attempts
	ask   CheckRequest
	yield func(*CheckResult, error) bool
}

// watched asks on a new connection and tells the answers. It returns why the connection ended.
func (c *Client) watched(ctx context.Context, r request, w *watch) error {
	doc := w.body
	if doc == nil {
		var err error
		if doc, err = json.Marshal(w.ask); err != nil {
			return err
		}
	}
	u := c.url(r, w.call)
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	reading, ear, done := listening(context.WithoutCancel(ctx))
	defer done()
	ws, err := c.dial(ctx, u.String(), u.Host, ear.heard)
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }() // the stream has ended, or is left for good
	// A read whose context ends tears the connection down; closing it lets the server see us leave.
	stop := context.AfterFunc(ctx, func() { _ = ws.Close(websocket.StatusNormalClosure, "") })
	defer stop()
	if err := ws.Write(ctx, websocket.MessageText, doc); err != nil {
		return broken(u.Host, err)
	}
	for {
		_, frame, err := ws.Read(reading)
		if err != nil {
			return broken(u.Host, whyEnded(reading, err))
		}
		if err := ear.closed(func() error { return w.take(frame) }); err != nil {
			return err
		}
	}
}

// dial opens a WebSocket; alive is called at each ping.
func (c *Client) dial(ctx context.Context, address, host string, alive func()) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: c.wire}, Subprotocols: []string{subprotocol},
		OnPingReceived: func(context.Context, []byte) bool { alive(); return true },
	})
	if err != nil && resp != nil && resp.StatusCode != http.StatusSwitchingProtocols && resp.Body != nil {
		return nil, readProblem(resp)
	}
	if err != nil {
		return nil, &UnreachableError{Host: host, Err: unaddressed(err)}
	}
	ws.SetReadLimit(maxAnswer)
	return ws, nil
}

// broken is why a WebSocket can't be read or written.
func broken(host string, err error) error {
	if c, ok := errors.AsType[websocket.CloseError](err); ok {
		return &ClosedError{int(c.Code), c.Reason}
	}
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return errTooLong
	}
	return &UnreachableError{host, true, err}
}

// take tells an answer.
func (w *watch) take(frame []byte) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(frame, &kind); err != nil {
		return err
	}
	switch kind.Type {
	case "error":
		return problemIn(frame)
	case "result":
	default: // of a newer replica
		return nil
	}
	answer := &CheckResult{}
	if err := json.Unmarshal(frame, answer); err != nil {
		return err
	}
	if w.answer != nil {
		*w.answer = Answer{Status: http.StatusOK, Body: frame}
	}
	w.tries.came()
	if !w.yield(answer, nil) {
		return errEnough
	}
	return nil
}
