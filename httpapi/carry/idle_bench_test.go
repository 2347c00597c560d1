package carry_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"oc-scheduler/httpapi/carry"
)

const crowd = 1000

// crowdOf has the address of what a process of its own opens a crowd of streams of: in that of the benchmark their memory
// would count, too.
const crowdOf = "OC_TEST_CROWD_OF"

// BenchmarkIdle is what a stream takes that has nothing to say, with TLS and without. It fails when TLS makes that more
// than one and a half times as much.
func BenchmarkIdle(b *testing.B) {
	for _, path := range []string{"/ws", "/events"} {
		b.Run(path, func(b *testing.B) {
			var plain, sealed float64
			for b.Loop() {
				plain, sealed = idle(b, path, false), idle(b, path, true)
			}
			b.ReportMetric(plain, "B/plain")
			b.ReportMetric(sealed, "B/TLS")
			if b.ReportMetric(sealed/plain, "ratio"); sealed > 1.5*plain {
				b.Errorf("%.0f bytes instead of %.0f", sealed, plain)
			}
		})
	}
}

// idle is how many bytes of heap and stack an idle stream takes.
func idle(b *testing.B, path string, sealed bool) float64 {
	b.Helper()
	carriers := carry.New(carry.Config{MaxStreamsPerClient: crowd}, carry.Hooks{}, slog.New(slog.DiscardHandler), nil)
	server := serving(carriers, sealed, &feed{})
	defer server.Close()
	before := inUse()
	leave := gather(b, server.URL+path)
	taken := inUse() - before
	if n := carriers.Streams(); n != crowd {
		b.Errorf("%d streams", n)
	}
	leave()
	if err := carriers.Drain(b.Context()); err != nil {
		b.Error(err)
	}
	return taken / crowd
}

// serving carries a source over what is asked for, a WebSocket or events.
func serving(c *carry.Carriers, sealed bool, source carry.Conversation) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave, err := c.Admit("192.0.2.1")
		if err == nil && r.URL.Path == "/ws" {
			err = c.WebSocket(w, r, source, carry.Opening{Protocol: protocol, Leave: leave})
		} else if err == nil {
			defer leave()
			ctx, part := c.Join(r.Context())
			defer part()
			_ = c.Events(ctx, w, source)
		}
		if err != nil {
			panic(err)
		}
	}))
	if sealed {
		server.Listener = carry.UnderTLS(server.Listener)
		server.StartTLS()
	} else {
		server.Start()
	}
	return server
}

func inUse() float64 {
	runtime.GC()
	runtime.GC() // stacks shrink step by step
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// gather opens a crowd of streams, until leave.
func gather(b *testing.B, url string) (leave func()) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), crowdOf+"="+url), os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		b.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	return func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			b.Error(err)
		}
	}
}

// join is the process that opens the streams. It says so, and stays until its input ends.
func join(url string) error {
	roots := roots()
	for range crowd {
		conn, err := joined(context.Background(), url, roots)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
	}
	fmt.Println("joined")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// roots are what certifies the servers of httptest.
func roots() *x509.CertPool {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	return server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
}

// joined is a connection over which a stream has begun.
func joined(ctx context.Context, url string, roots *x509.CertPool) (conn net.Conn, err error) {
	scheme, rest, _ := strings.Cut(url, "://")
	address, path, _ := strings.Cut(rest, "/")
	if conn, err = new(net.Dialer).DialContext(ctx, "tcp", address); err != nil {
		return nil, err
	}
	if scheme == "https" {
		conn = tls.Client(conn, &tls.Config{RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS13})
	}
	if _, err := fmt.Fprintf(conn, "GET /%s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: %s\r\n\r\n", path, protocol); err != nil {
		return nil, err
	}
	const served = len("HTTP/1.1 ")
	answer := make([]byte, served+1)
	if _, err := io.ReadFull(conn, answer); err != nil || answer[served] > '2' {
		return nil, fmt.Errorf("%q, %w", answer, err)
	}
	return conn, nil
}
