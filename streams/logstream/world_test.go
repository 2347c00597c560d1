package logstream_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/logstream"
)

const node = "node-a"

// newFiles keeps output in a directory of the test.
func newFiles(t *testing.T, cfg logstream.FilesConfig) *logstream.Files {
	t.Helper()
	files, err := logstream.NewFiles(t.TempDir(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// create begins an output, which ends with the test at the latest.
func create(t *testing.T, files *logstream.Files, execution string) *logstream.Output {
	t.Helper()
	out, err := files.Create(execution)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	return out
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(w, text); err != nil || n != len(text) {
		t.Fatalf("wrote %d of %d bytes: %v", n, len(text), err)
	}
}

// finished makes an output that has ended.
func finished(t *testing.T, files *logstream.Files, execution string, writes ...string) {
	t.Helper()
	out := create(t, files, execution)
	for _, text := range writes {
		write(t, out.Stdout(), text)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// listen serves a node's output until the test ends.
func listen(t *testing.T, cfg logstream.ListenerConfig) *logstream.Listener {
	t.Helper()
	cfg.NodeID = node
	l, err := logstream.NewListener(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, l) })
	if err := cfg.Conn.Flush(); err != nil { // or the first question may come too early, and be asked again later
		t.Fatal(err)
	}
	return l
}

func stop(t *testing.T, l *logstream.Listener) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := l.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// patience bounds each wait, far above what a loaded machine takes.
const patience = 60 * time.Second

// open reads from a node or a file until the test ends.
func open(t *testing.T, server logstream.Server, r logstream.Request) logstream.Reader {
	t.Helper()
	reader, err := server.OpenLog(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	})
	return reader
}

// wire is a Server at the far end of a connection: what holds for one holds for the other.
type wire struct{ logstream.Client }

func over(nc *nats.Conn) wire { return wire{logstream.Client{Conn: nc}} }

func (w wire) OpenLog(ctx context.Context, r logstream.Request) (logstream.Reader, error) {
	return w.Open(ctx, node, r)
}

func next(t *testing.T, r logstream.Reader) (logstream.Chunk, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return r.Next(ctx)
}

// expect reads until the text has come.
func expect(t *testing.T, r logstream.Reader, text string) {
	t.Helper()
	var got strings.Builder
	for got.Len() < len(text) {
		c, err := next(t, r)
		if err != nil {
			t.Fatalf("after %q: %v", got.String(), err)
		}
		got.Write(c.Data)
	}
	if got.String() != text {
		t.Fatalf("read %q, want %q", got.String(), text)
	}
}

// expectEnd reads the end.
func expectEnd(t *testing.T, r logstream.Reader, want error) {
	t.Helper()
	if c, err := next(t, r); !errors.Is(err, want) {
		t.Fatalf("read %q, %v; want %v", c.Data, err, want)
	}
}

// readAll reads to the end.
func readAll(t *testing.T, r logstream.Reader) string {
	t.Helper()
	var got strings.Builder
	for {
		c, err := next(t, r)
		if errors.Is(err, io.EOF) {
			return got.String()
		}
		if err != nil {
			t.Fatalf("after %d bytes: %v", got.Len(), err)
		}
		got.Write(c.Data)
	}
}
