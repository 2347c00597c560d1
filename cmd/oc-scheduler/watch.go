package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	u := client.url(nil, "oc", string(c.Workflow), "check")
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	w := &watcher{p: c.printer(con), http: &http.Client{Transport: client.http.Transport}, url: u.String(), request: request}
	if w.p.forPeople() {
		w.screen = con.screen()
	}
	delays := backoff.NewExponentialBackOff()
	delays.MaxInterval = 10 * time.Second
	for {
		answered, err := w.follow(ctx)
		if answered {
			delays.Reset()
		}
		switch {
		case ctx.Err() != nil && w.last != nil:
			return w.last.exit()
		case ctx.Err() != nil:
			return errors.New("interrupted before the first answer")
		case final(err):
			return err
		}
		delay := delays.NextBackOff()
		if _, err := fmt.Fprintf(con.stderr, "%s; trying again in %v\n", lost(err), delay.Round(time.Millisecond)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
	}
}

// watcher prints the answers of one stream, whatever the number of its connections.
type watcher struct {
	p       *printer
	screen  *screen // nil: there is none
	http    *http.Client
	url     string
	request []byte

	last  *result
	shown string // what was printed last
}

// follow sends the request on a new connection and prints its answers. It returns whether there were
// any, and the reason why the connection ended.
func (w *watcher) follow(ctx context.Context) (answered bool, err error) {
	ws, resp, err := websocket.Dial(ctx, w.url, &websocket.DialOptions{HTTPClient: w.http, Subprotocols: []string{subprotocol}})
	if err != nil {
		if resp != nil && resp.StatusCode != http.StatusSwitchingProtocols && resp.Body != nil {
			return false, readProblem(resp)
		}
		return false, err
	}
	defer func() { _ = ws.CloseNow() }() // the stream has ended, or is left for good
	ws.SetReadLimit(maxAnswer)
	// A read whose context ends tears the connection down; closing it lets the server see us leave.
	stop := context.AfterFunc(ctx, func() { _ = ws.Close(websocket.StatusNormalClosure, "") })
	defer stop()
	if err := ws.Write(ctx, websocket.MessageText, w.request); err != nil {
		return false, err
	}
	for {
		_, frame, err := ws.Read(context.WithoutCancel(ctx))
		if err != nil {
			return answered, err
		}
		answer, err := readFrame(frame)
		if err != nil {
			return answered, err
		}
		if err := w.show(frame, answer); err != nil {
			return answered, err
		}
		answered = true
	}
}

// show prints an answer unless the reader has it before his eyes: much of what changes a version
// shows in no table, and a new connection begins with what was known. Of JSON each version is told.
func (w *watcher) show(frame []byte, answer *result) error {
	w.last = answer
	if !w.p.forPeople() {
		if answer.Version == w.shown {
			return nil
		}
		w.shown = answer.Version
		return w.p.line(frame)
	}
	var text strings.Builder
	on := *w.p.paper
	on.Writer, on.now = &text, time.Now()
	if err := answer.print(&on); err != nil || text.String() == w.shown {
		return err
	}
	w.shown = text.String()
	if w.screen != nil {
		return w.screen.draw(strings.Split(strings.TrimSuffix(w.shown, "\n"), "\n"))
	}
	_, err := io.WriteString(w.p, w.shown+"\n")
	return err
}

// lost says why a connection ended, as far as it matters to somebody who waits.
func lost(err error) string {
	if websocket.CloseStatus(err) == websocket.StatusServiceRestart {
		return "the replica restarts"
	}
	if p, ok := errors.AsType[*problem](err); ok {
		return p.Error()
	}
	if dial, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Sprintf("no replica answers (%v)", dial.Err)
	}
	return "connection lost"
}

// readFrame returns a result, or as an error the problem that came in its place.
func readFrame(frame []byte) (*result, error) {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(frame, &kind); err != nil {
		return nil, err
	}
	if kind.Type != "error" {
		answer := &result{}
		return answer, json.Unmarshal(frame, answer)
	}
	p := &problem{}
	if err := json.Unmarshal(frame, p); err != nil {
		return nil, err
	}
	return nil, p
}

// final tells whether trying again is of no use: the answer would be the same, or nobody would read it.
func final(err error) bool {
	if _, lost := errors.AsType[*writeError](err); lost {
		return true
	}
	if p, ok := errors.AsType[*problem](err); ok {
		return p.Status < 500 && p.Status != http.StatusTooManyRequests
	}
	switch websocket.CloseStatus(err) {
	case 4400, 4401, 4404, websocket.StatusPolicyViolation, websocket.StatusNormalClosure:
		return true
	}
	return false
}
