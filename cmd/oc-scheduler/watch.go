package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/coder/websocket"
)

// subprotocol names the check stream of this version.
const subprotocol = "oc.check.v1"

// watch follows the stream over drains and outages until ctx ends; its exit code is that of the
// last answer.
func (c *checkCmd) watch(ctx context.Context, con *console, client *client, request []byte) error {
	u := client.url(nil, "oc", c.Workflow, "check")
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	delays := backoff.NewExponentialBackOff()
	delays.MaxInterval = 10 * time.Second
	var last *result
	for {
		answer, err := c.follow(ctx, con, u.String(), request)
		if answer != nil {
			last = answer
			delays.Reset()
		}
		if ctx.Err() != nil && last != nil {
			return last.exit()
		}
		if ctx.Err() != nil || final(err) {
			return err
		}
		delay := delays.NextBackOff()
		if _, err := fmt.Fprintf(con.stderr, "connection lost (%v), trying again in %v\n", err, delay.Round(time.Millisecond)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
	}
}

// follow sends the request on a new connection, prints its answers and returns the last one, beside
// the reason why the connection ended.
func (c *checkCmd) follow(ctx context.Context, con *console, u string, request []byte) (last *result, err error) {
	ws, resp, err := websocket.Dial(ctx, u, &websocket.DialOptions{Subprotocols: []string{subprotocol}})
	if err != nil {
		if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols && resp.Body != nil {
			return nil, readProblem(resp)
		}
		return nil, err
	}
	defer func() { _ = ws.CloseNow() }() // the stream has ended, or is left for good
	ws.SetReadLimit(maxAnswer)
	// A read whose context ends tears the connection down; closing it lets the server see us leave.
	stop := context.AfterFunc(ctx, func() { _ = ws.Close(websocket.StatusNormalClosure, "") })
	defer stop()
	if err := ws.Write(ctx, websocket.MessageText, request); err != nil {
		return nil, err
	}
	for {
		_, frame, err := ws.Read(context.WithoutCancel(ctx))
		if err != nil {
			return last, err
		}
		answer, err := readFrame(frame)
		if err != nil {
			return last, err
		}
		if err := c.print(con, frame, answer); err != nil {
			return last, err
		}
		last = answer
	}
}

// readFrame returns a result, or as an error the problem that came in its place.
func readFrame(frame []byte) (*result, error) {
	answer := &result{}
	if err := json.Unmarshal(frame, answer); err != nil {
		return nil, err
	}
	if answer.Type != "error" {
		return answer, nil
	}
	p := &problem{}
	if err := json.Unmarshal(frame, p); err != nil {
		return nil, err
	}
	return nil, p
}

// final tells whether trying again is of no use: the answer would be the same.
func final(err error) bool {
	if p, ok := errors.AsType[*problem](err); ok {
		return p.Status < 500 && p.Status != http.StatusTooManyRequests
	}
	switch websocket.CloseStatus(err) {
	case 4400, 4404, websocket.StatusPolicyViolation, websocket.StatusNormalClosure:
		return true
	}
	return false
}
