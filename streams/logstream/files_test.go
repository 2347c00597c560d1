package logstream_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
)

func reopen(t *testing.T, dir string, cfg logstream.FilesConfig) *logstream.Files {
	t.Helper()
	files, err := logstream.NewFiles(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func exists(t *testing.T, files *logstream.Files, execution string) bool {
	t.Helper()
	r, err := files.OpenLog(t.Context(), logstream.Request{ExecutionID: execution})
	if err != nil {
		if !errors.Is(err, logstream.ErrNotFound) {
			t.Fatal(err)
		}
		return false
	}
	return r.Close() == nil
}

const interrupted = "[the node ended before this execution did]\n"

// TestOutputIsKeptOverARestart holds that what was written stays readable, and that what did not end
// is marked.
func TestOutputIsKeptOverARestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	files := reopen(t, dir, logstream.FilesConfig{})
	long := strings.Repeat("é", 64)
	finished(t, files, "done", "all\n")
	finished(t, files, "empty")
	finished(t, files, long, "long id")
	for _, id := range []string{"cut/..", "cut"} {
		write(t, create(t, files, id).Stdout(), "so far")
	}
	for range 2 { // what is marked once stays as it is
		files = reopen(t, dir, logstream.FilesConfig{})
		for id, want := range map[string]string{
			"done": "all\n", "empty": "", long: "long id", "cut/..": "so far\n" + interrupted, "cut": "so far\n" + interrupted,
		} {
			if got := readAll(t, open(t, files, logstream.Request{ExecutionID: id, Follow: true})); got != want {
				t.Errorf("%q: read %q, want %q", id, got, want)
			}
		}
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(paths) != 5 {
		t.Fatalf("files %q, %v", paths, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, paths[0]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestATornRecordIsIgnored holds that a process may die at any byte of a record.
func TestATornRecordIsIgnored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := reopen(t, dir, logstream.FilesConfig{})
	out := create(t, files, "ex")
	path := filepath.Join(dir, "ex.log")
	writes := []string{"first\n", "second", "\n", "third\n"}
	var sizes []int // of the file after each
	for _, text := range writes {
		write(t, out.Stdout(), text)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, int(info.Size()))
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cuts := [][]byte{append(slices.Clip(whole), strings.Repeat("\x01", 1000)...)}
	for n := range whole {
		cuts = append(cuts, whole[:n])
	}
	for _, cut := range cuts {
		torn := filepath.Join(t.TempDir(), "torn")
		if err := errors.Join(os.Mkdir(torn, 0o700), os.WriteFile(filepath.Join(torn, "ex.log"), cut, 0o600)); err != nil {
			t.Fatal(err)
		}
		var want string
		for i, text := range writes {
			if sizes[i] <= len(cut) {
				want += text
			}
		}
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		files := reopen(t, torn, logstream.FilesConfig{})
		for _, r := range []logstream.Request{{ExecutionID: "ex"}, {ExecutionID: "ex", Tail: 100}} {
			if got := readAll(t, open(t, files, r)); got != want+interrupted {
				t.Fatalf("%d bytes are left: read %q, want %q", len(cut), got, want+interrupted)
			}
		}
	}
}

func TestOutputBeyondTheLimitIsCut(t *testing.T) {
	t.Parallel()
	const limit = 8 << 10
	each(t, logstream.FilesConfig{MaxBytesPerExecution: limit}, func(t *testing.T, files *logstream.Files, server logstream.Server) {
		t.Helper()
		out := create(t, files, "ex")
		line := strings.Repeat("x", 99) + "\n"
		for range 1000 {
			write(t, out.Stdout(), line)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		got := readAll(t, open(t, server, logstream.Request{ExecutionID: "ex"}))
		kept, mark, found := strings.Cut(got, "[")
		kept = strings.TrimSuffix(kept, "\n")
		if !found || !strings.HasPrefix(mark, "output is longer than 8192 bytes") || strings.Count(got, "[") != 1 {
			t.Errorf("no mark in %q", got[max(0, len(got)-200):])
		}
		if !strings.HasPrefix(strings.Repeat(line, 1000), kept) || len(kept) < limit/2 || len(got) > limit {
			t.Errorf("kept %d bytes", len(kept))
		}
	})
	files := newFiles(t, logstream.FilesConfig{MaxBytesPerExecution: limit})
	out := create(t, files, "ex")
	write(t, out.Stderr(), strings.Repeat("y", 10*limit)) // in one go
	if got := readAll(t, open(t, files, logstream.Request{ExecutionID: "ex"})); len(got) < limit/2 || len(got) > limit {
		t.Errorf("kept %d bytes", len(got))
	}
}

func TestCreateAndRemove(t *testing.T) {
	t.Parallel()
	files := newFiles(t, logstream.FilesConfig{})
	out := create(t, files, "ex")
	if _, err := files.Create("ex"); !errors.Is(err, logstream.ErrExists) {
		t.Errorf("created twice: %v", err)
	}
	if err := files.Remove("ex"); !errors.Is(err, logstream.ErrExists) {
		t.Errorf("removed while it is written: %v", err)
	}
	reader := open(t, files, logstream.Request{ExecutionID: "ex", Follow: true})
	write(t, out.Stdout(), "text")
	for range 2 {
		if err := out.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := out.Stdout().Write([]byte("late")); !errors.Is(err, logstream.ErrClosed) {
		t.Errorf("written after its end: %v", err)
	}
	if err := files.Remove("ex"); err != nil {
		t.Error(err)
	}
	if got := readAll(t, reader); got != "text" {
		t.Errorf("who reads what is removed gets %q", got)
	}
	if err := files.Remove("ex"); !errors.Is(err, logstream.ErrNotFound) || exists(t, files, "ex") {
		t.Errorf("removed twice: %v", err)
	}
	for _, bad := range []string{"", "a\nb", strings.Repeat("x", 129)} {
		if _, err := files.Create(bad); err == nil || errors.Is(err, logstream.ErrExists) {
			t.Errorf("created %q: %v", bad, err)
		}
	}
}

// TestSweep holds that old output goes, then the oldest beyond the bound, and never what is written.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clock := clockwork.NewFakeClockAt(time.Now())
	files := reopen(t, dir, logstream.FilesConfig{MaxAge: time.Hour, MaxTotalBytes: 10_000, Clock: clock})
	age := func(execution string, age time.Duration) {
		at := clock.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, execution+".log"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want ...string) {
		t.Helper()
		if err := files.Sweep(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range []string{"live", "a", "b", "c", "d"} {
			if exists(t, files, id) {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("kept %q, want %q", got, want)
		}
	}
	text := strings.Repeat("x", 4000)
	write(t, create(t, files, "live").Stdout(), text)
	age("live", 5*time.Hour)
	for i, id := range []string{"a", "b"} {
		finished(t, files, id, text[:500])
		age(id, time.Duration(70-20*i)*time.Minute)
	}
	check("live", "b")
	finished(t, files, "c", text)
	age("c", time.Minute)
	check("live", "b", "c")
	finished(t, files, "d", text)
	age("d", 0)
	check("live", "d")
}

// TestRunSweeps holds that Run does so by time, and when much has come.
func TestRunSweeps(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	files := newFiles(t, logstream.FilesConfig{MaxTotalBytes: 10_000, Clock: clock})
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		if err := files.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); work.Wait() })
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		finished(t, files, id, strings.Repeat("x", 3000))
	}
	natstest.Eventually(t, "what is too much goes", func() bool { return !exists(t, files, "a") && !exists(t, files, "b") })
	if !exists(t, files, "e") {
		t.Error("the newest went")
	}
	natstest.Eventually(t, "what is old goes", func() bool {
		clock.Advance(24 * time.Hour)
		return !exists(t, files, "e")
	})
}

// TestManyWriters holds that both sides of an output may be written from several goroutines, while
// others read.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	files := newFiles(t, logstream.FilesConfig{})
	out := create(t, files, "ex")
	r := logstream.Request{ExecutionID: "ex", Follow: true}
	results := []func() (string, error){follow(t, files, r), follow(t, files, r)}
	var work sync.WaitGroup
	for _, w := range []io.Writer{out.Stdout(), out.Stderr(), out.Stdout(), out.Stderr()} {
		work.Go(func() {
			for range 500 {
				if _, err := io.WriteString(w, "a line of text\n"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		same(t, result, strings.Repeat("a line of text\n", 2000))
	}
}

func TestFilesConfig(t *testing.T) {
	t.Parallel()
	_, err := logstream.NewFiles(t.TempDir(), logstream.FilesConfig{MaxBytesPerExecution: 1, MaxTotalBytes: -2, MaxAge: -3})
	for _, want := range []string{"1 bytes per execution", "-2 bytes in total", "-3ns"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell of %q", err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := logstream.NewFiles(file, logstream.FilesConfig{}); err == nil {
		t.Error("a file is taken for a directory")
	}
}
