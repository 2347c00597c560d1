package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// eventStream is what a replica tells of one thing as server-sent events, over as many connections as that takes.
type eventStream struct {
	http     *http.Client
	url      *url.URL
	take     func(serverEvent) (end bool, err error) // whatever comes, but errors
	lost     func(error)                             // called when nothing comes that came before; nil: it isn't told
	patience time.Duration                           // without an event; 0: without an end

	at string // the last event that was taken
}

// silence is how long a connection may say nothing: it has a comment every 15 s.
const silence = 40 * time.Second

// streamOf is the stream at u. It has no timeout, which would be one for the whole stream.
func (c *client) streamOf(u *url.URL, take func(serverEvent) (bool, error)) *eventStream {
	return &eventStream{http: &http.Client{Transport: c.http.Transport}, url: u, take: take}
}

// read takes what comes until the end, over drains and outages.
func (s *eventStream) read(ctx context.Context) error {
	delays := backoff.NewExponentialBackOff()
	delays.MaxInterval = 5 * time.Second
	told := false
	for began := time.Now(); ; {
		before := s.at
		err := s.follow(ctx)
		if s.at != before {
			delays.Reset()
			began, told = time.Now(), false
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case final(err) || s.patience > 0 && time.Since(began) > s.patience:
			return err
		case s.lost != nil && !told:
			s.lost(err)
			told = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(delays.NextBackOff()):
		}
	}
}

// follow takes what comes over one connection; its end is an error unless it is that of the stream.
func (s *eventStream) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url.String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	if s.at != "" {
		r.Header.Set("Last-Event-ID", s.at)
	}
	resp, err := ask(s.http, r)
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
	var e serverEvent
	for lines.Scan() {
		watchdog.Reset(silence)
		if !e.add(lines.Text()) {
			continue
		}
		if end, err := s.taken(e); err != nil || end {
			return err
		}
		e = serverEvent{}
	}
	if err := lines.Err(); err != nil {
		return &unreachableError{s.url.Host, true, err}
	}
	return errors.New("the connection was lost")
}

// maxEvent bounds an event: a run of thousands of steps is one.
const maxEvent = 16 << 20

// taken has an event taken, and notes how far that was.
func (s *eventStream) taken(e serverEvent) (end bool, err error) {
	if e.name == "error" {
		p := &problem{}
		if err := json.Unmarshal([]byte(e.data), p); err != nil {
			return false, err
		}
		return false, p
	}
	if end, err = s.take(e); err == nil && e.id != "" {
		s.at = e.id
	}
	return end, err
}
