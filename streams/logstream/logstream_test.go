package logstream_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
)

// each runs a test on the files themselves and over a connection.
func each(t *testing.T, cfg logstream.FilesConfig, test func(t *testing.T, files *logstream.Files, server logstream.Server)) {
	t.Helper()
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		files := newFiles(t, cfg)
		test(t, files, files)
	})
	t.Run("wire", func(t *testing.T) {
		t.Parallel()
		files := newFiles(t, cfg)
		s := natstest.Start(t)
		listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: files})
		test(t, files, over(s.Connect(t)))
	})
}

func TestReadWhatIsThere(t *testing.T) {
	t.Parallel()
	each(t, logstream.FilesConfig{}, func(t *testing.T, files *logstream.Files, server logstream.Server) {
		t.Helper()
		out := create(t, files, "ex/1")
		write(t, out.Stdout(), "one\n")
		write(t, out.Stderr(), "two\n")
		write(t, out.Stdout(), "three")
		for range 2 { // while it runs, and after its end
			if got := readAll(t, open(t, server, logstream.Request{ExecutionID: "ex/1"})); got != "one\ntwo\nthree" {
				t.Errorf("read %q", got)
			}
			if got := readAll(t, open(t, server, logstream.Request{ExecutionID: "ex/1", Tail: 2})); got != "two\nthree" {
				t.Errorf("the tail is %q", got)
			}
			if got := readAll(t, open(t, server, logstream.Request{ExecutionID: "ex/1", Offset: 6, Tail: 1})); got != "o\nthree" {
				t.Errorf("after 6 bytes: %q", got)
			}
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
		}
		r := open(t, server, logstream.Request{ExecutionID: "ex/1", Follow: true})
		for _, want := range []struct {
			source logstream.Source
			offset uint64
		}{{logstream.Stdout, 4}, {logstream.Stderr, 8}, {logstream.Stdout, 13}} {
			c, err := next(t, r)
			if err != nil || c.Source != want.source || c.Offset != want.offset || c.Time.IsZero() {
				t.Errorf("read %+v, %v; want %+v", c, err, want)
			}
		}
		expectEnd(t, r, io.EOF)
		expectEnd(t, r, io.EOF)
	})
}

func TestFollow(t *testing.T) {
	t.Parallel()
	each(t, logstream.FilesConfig{}, func(t *testing.T, files *logstream.Files, server logstream.Server) {
		t.Helper()
		out := create(t, files, "ex")
		write(t, out.Stdout(), "a\nb\n")
		readers := []logstream.Reader{
			open(t, server, logstream.Request{ExecutionID: "ex", Follow: true}),
			open(t, server, logstream.Request{ExecutionID: "ex", Follow: true, Tail: 1}),
		}
		expect(t, readers[0], "a\nb\n")
		expect(t, readers[1], "b\n")
		for _, text := range []string{"c", "d\n", strings.Repeat("e", 3*logstream.MaxChunk+1)} {
			write(t, out.Stderr(), text)
			for _, r := range readers {
				expect(t, r, text)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		for _, r := range readers {
			expectEnd(t, r, io.EOF)
		}
	})
}

// TestFresh: whoever asks for what comes gets nothing of what is there.
func TestFresh(t *testing.T) {
	t.Parallel()
	each(t, logstream.FilesConfig{}, func(t *testing.T, files *logstream.Files, server logstream.Server) {
		t.Helper()
		out := create(t, files, "ex")
		fresh := logstream.Request{ExecutionID: "ex", Follow: true, Tail: 1, Fresh: true}
		readers := []logstream.Reader{open(t, server, fresh)} // before there is anything
		for _, text := range []string{"a\nb", "c\n", "d\n"} {
			write(t, out.Stdout(), text)
			for _, r := range readers {
				expect(t, r, text)
			}
			if got := readAll(t, open(t, server, logstream.Request{ExecutionID: "ex", Tail: 1, Fresh: true})); got != "" {
				t.Errorf("not following: %q", got)
			}
			readers = append(readers, open(t, server, fresh))
		}
		fresh.Offset = 4
		expect(t, open(t, server, fresh), "\nd\n")
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		fresh.Offset = 0
		for _, r := range append(readers, open(t, server, fresh)) {
			expectEnd(t, r, io.EOF)
		}
	})
}

// unaware is a node of the version before.
type unaware struct{ logstream.Server }

func (u unaware) OpenLog(ctx context.Context, r logstream.Request) (logstream.Reader, error) {
	r.Fresh = false
	return u.Server.OpenLog(ctx, r)
}

func TestFreshFromAnOldNode(t *testing.T) {
	t.Parallel()
	files := newFiles(t, logstream.FilesConfig{})
	s := natstest.Start(t)
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: unaware{files}})
	out := create(t, files, "ex")
	write(t, out.Stdout(), "a\nb\n")
	r := open(t, over(s.Connect(t)), logstream.Request{ExecutionID: "ex", Follow: true, Tail: 1, Fresh: true})
	expect(t, r, "b\n")
	write(t, out.Stdout(), "c\n")
	expect(t, r, "c\n")
}

func TestUnknownExecutions(t *testing.T) {
	t.Parallel()
	each(t, logstream.FilesConfig{}, func(t *testing.T, _ *logstream.Files, server logstream.Server) {
		t.Helper()
		for _, id := range []string{"ex", "../ex", strings.Repeat("é", 64)} {
			if _, err := server.OpenLog(t.Context(), logstream.Request{ExecutionID: id}); !errors.Is(err, logstream.ErrNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
		for _, r := range []logstream.Request{{}, {ExecutionID: "a\n"}, {ExecutionID: "ex", Tail: -1}} {
			if _, err := server.OpenLog(t.Context(), r); err == nil || errors.Is(err, logstream.ErrNotFound) {
				t.Errorf("%+v: %v", r, err)
			}
		}
	})
}

func TestCloseEndsAReader(t *testing.T) {
	t.Parallel()
	each(t, logstream.FilesConfig{}, func(t *testing.T, files *logstream.Files, server logstream.Server) {
		t.Helper()
		create(t, files, "ex")
		r := open(t, server, logstream.Request{ExecutionID: "ex"})
		for range 2 {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := next(t, r); err == nil {
			t.Error("a closed reader reads")
		}
	})
}
