package client_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/client"
)

// spoken is a transport of connections on which each request is answered by a function, on and on, until that returns.
func spoken(t *testing.T, answer func(conn net.Conn, r *http.Request)) *http.Transport {
	t.Helper()
	return &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			if r, err := http.ReadRequest(bufio.NewReader(theirs)); err != nil {
				t.Error(err)
			} else {
				answer(theirs, r)
			}
		}()
		return ours, nil
	}}
}

// TestSilence ends a connection on which nothing is heard, not one whose reader is slow.
func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
		wire := spoken(t, func(conn net.Conn, r *http.Request) {
			_, _ = fmt.Fprint(conn, head+"event: output\nid: 7\ndata: {}\n\n")
			if r.Header.Get("Last-Event-ID") == "" {
				time.Sleep(30 * time.Second)
				_, _ = fmt.Fprint(conn, ":\n\n")
				_, _ = conn.Read(make([]byte, 1)) // until it is left
				return
			}
			_, _ = fmt.Fprint(conn, "event: end\nid: 8\ndata: {}\n\n")
		})
		c, err := client.New("http://replica", client.WithTransport(wire))
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		var lost []string
		tell := client.OnLost(func(err error, _ time.Duration) {
			lost = append(lost, fmt.Sprint(time.Since(begin), " ", err))
		})
		parts := 0
		for e, err := range c.FollowOutput(t.Context(), "x", client.OutputRange{Follow: true}, tell) {
			switch {
			case err != nil:
				t.Error(err)
			case e.Chunk != nil:
				if parts++; parts == 2 {
					time.Sleep(time.Hour)
				}
			}
		}
		if want := "1m10s no replica answers at replica: nothing was heard for 40s"; strings.Join(lost, "; ") != want || parts != 2 {
			t.Errorf("%d parts, lost %q, want %s", parts, lost, want)
		}
	})
}
