package fleettest

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
)

// Events is a client with one check stream of server-sent events.
type Events struct {
	First <-chan struct{} // closed at the first result
	Ended <-chan error    // how the stream ended: nil when the other side ended it in good order
}

// OpenEvents opens a check stream of server-sent events until the test ends.
func OpenEvents(tb testing.TB, url string) *Events {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	first, ended, done := make(chan struct{}), make(chan error, 1), make(chan struct{})
	go func() {
		defer close(done)
		ended <- readEvents(req, func() { close(first) })
	}()
	tb.Cleanup(func() { cancel(); <-done })
	return &Events{first, ended}
}

func readEvents(req *http.Request, first func()) error {
	resp, err := (&http.Client{Transport: client.Transport}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for seen := false; lines.Scan(); {
		if !seen && strings.HasPrefix(lines.Text(), "event: result") {
			seen = true
			first()
		}
	}
	return lines.Err()
}
