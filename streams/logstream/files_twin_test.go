package logstream_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/streams/logstream"
)

// tail is the last lines of a text, the plain way.
func tail(text string, lines int) string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return strings.Join(all[max(0, len(all)-lines):], "")
}

// TestFilesAgreeWithAString holds that any mix of writes, tails, offsets and restarts reads as a
// string would.
func TestFilesAgreeWithAString(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\n\n")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "files")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		files, err := logstream.NewFiles(dir, logstream.FilesConfig{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := files.Create("ex")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = out.Close() }()
		want, ended := "", false
		read := func(r logstream.Request) (got string, last uint64) {
			r.ExecutionID, r.Follow = "ex", ended
			reader, err := files.OpenLog(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = reader.Close() }()
			for last = r.Offset; ; {
				c, err := reader.Next(context.Background())
				if errors.Is(err, io.EOF) {
					return got, last
				}
				if err != nil {
					t.Fatal(err)
				}
				if last > 0 && c.Offset != last+uint64(len(c.Data)) {
					t.Fatalf("%d bytes up to %d after %d", len(c.Data), c.Offset, last)
				}
				got, last = got+string(c.Data), c.Offset
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				if ended {
					t.Skip("ended")
				}
				s, w := text.Draw(t, "text"), out.Stdout()
				if rapid.Bool().Draw(t, "stderr") {
					w = out.Stderr()
				}
				if rapid.IntRange(0, 20).Draw(t, "much") == 0 {
					s = strings.Repeat(s, 10_000)
				}
				if n, err := io.WriteString(w, s); err != nil || n != len(s) {
					t.Fatalf("wrote %d of %d, %v", n, len(s), err)
				}
				want += s
			},
			"restart": func(t *rapid.T) {
				if rapid.Bool().Draw(t, "in time") && !ended {
					if err := out.Close(); err != nil {
						t.Fatal(err)
					}
					ended = true
				}
				if files, err = logstream.NewFiles(dir, logstream.FilesConfig{}); err != nil {
					t.Fatal(err)
				}
				if !ended {
					if want != "" && !strings.HasSuffix(want, "\n") {
						want += "\n"
					}
					want, ended = want+interrupted, true
				}
			},
			"tail": func(t *rapid.T) {
				lines := rapid.IntRange(1, 30).Draw(t, "lines")
				if got, _ := read(logstream.Request{Tail: lines}); got != tail(want, lines) {
					t.Fatalf("the last %d lines of %q are %q", lines, want, got)
				}
			},
			"fresh": func(t *rapid.T) {
				if got, _ := read(logstream.Request{Fresh: true}); got != "" {
					t.Fatalf("fresh of %q is %q", want, got)
				}
			},
			"offset": func(t *rapid.T) {
				offset := rapid.IntRange(0, len(want)).Draw(t, "offset")
				if got, last := read(logstream.Request{Offset: uint64(offset)}); got != want[offset:] || last != uint64(len(want)) {
					t.Fatalf("from %d of %q: %q, up to %d", offset, want, got, last)
				}
			},
		})
	})
}
