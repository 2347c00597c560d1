package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi"
)

// raw sends bytes as they are, and reads one answer.
func (s *site) raw(t *testing.T, request string) answer {
	t.Helper()
	return s.rawAll(t, request, 1)[0]
}

// rawAll reads several answers.
func (s *site) rawAll(t *testing.T, requests string, n int) (answers []answer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, requests); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for range n {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer{response.StatusCode, response.Header, body})
	}
	return answers
}

func TestBodyThatDoesNotCome(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{ReadTimeout: 100 * time.Millisecond})
	s.raw(t, "PUT /oc/w HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{").problem(t, http.StatusRequestTimeout)
}

// TestBodyThatIsBroken is the client's fault, and tells nothing in the log.
func TestBodyThatIsBroken(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	for _, path := range []string{"PUT /oc/w", "POST /oc/w/check", "POST /oc/w/schedules", "POST /nodes/n/executions"} {
		s.raw(t, path+" HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n").problem(t, http.StatusBadRequest)
	}
}

func TestBodyOfUnknownLengthIsBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{MaxBody: 100})
	chunk := strings.Repeat(" ", 101)
	p := s.raw(t, fmt.Sprintf("PUT /oc/w HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(chunk), chunk)).
		problem(t, http.StatusRequestEntityTooLarge)
	if !strings.Contains(p["detail"].(string), "100 bytes") {
		t.Errorf("the limit is not named: %v", p)
	}
	// A length that is announced is refused before a byte of it was sent.
	s.raw(t, "PUT /oc/w HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n").problem(t, http.StatusRequestEntityTooLarge)
}

func TestOldHTTPVersions(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	s.raw(t, "GET /oc/w HTTP/1.0\r\nHost: localhost\r\n\r\n").ok(t, http.StatusOK)
	s.raw(t, "GET /oc/w/check"+inDecember+" HTTP/1.0\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n").problem(t, http.StatusBadRequest)
	s.raw(t, "GET http://oc.localhost/oc/w HTTP/1.1\r\nHost: elsewhere\r\n\r\n").ok(t, http.StatusOK)
	s.raw(t, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n").ok(t, http.StatusOK)
}

// TestReboundNames: a page whose name was made to lead here is of the host's own origin, by its headers.
func TestReboundNames(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{AllowOrigins: []string{"https://app.example"}})
	const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	for _, request := range []string{
		"GET /livez HTTP/1.1\r\nHost: %s\r\n\r\n",
		"GET /oc HTTP/1.1\r\nHost: %s\r\n\r\n",
		"GET /nowhere HTTP/1.1\r\nHost: %s\r\n\r\n",
		"GET /oc/w/check HTTP/1.1\r\nHost: %[1]s\r\nOrigin: http://%[1]s\r\n" + upgrade + "\r\n",
		"POST /nodes/n/executions HTTP/1.1\r\nHost: %[1]s\r\nOrigin: http://%[1]s\r\nContent-Length: 0\r\n\r\n",
	} {
		p := s.raw(t, fmt.Sprintf(request, "evil.example:18081")).problem(t, http.StatusForbidden)
		if detail := p["detail"].(string); !strings.Contains(detail, `"evil.example:18081"`) || !strings.Contains(detail, "--allow-origin") {
			t.Errorf("%q: %s", request, detail)
		}
		for _, own := range []string{"127.0.0.1:8080", "app.example"} {
			if a := s.raw(t, fmt.Sprintf(request, own)); a.status == http.StatusForbidden {
				t.Errorf("%q as %s: %s", request, own, a.body)
			}
		}
	}
	s.raw(t, "GET /livez HTTP/1.0\r\n\r\n").ok(t, http.StatusOK)
}
