package execute_test

import (
	"io"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"oc-scheduler/internal/peer/execute"
)

func TestMuchOutput(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var count counter
	code, err := f.Run(t.Context(), shell(`head -c 50000000 /dev/zero; head -c 1000000 /dev/zero >&2`), &count, &count)
	if err != nil || code != 0 || count.Load() != 51_000_000 {
		t.Errorf("code %d, error %v, %d bytes", code, err, count.Load())
	}
}

type counter struct{ atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) { c.Add(int64(len(p))); return len(p), nil }

// TestOutputThatIsNotTaken: a program does not live on because nobody can keep what it says.
func TestOutputThatIsNotTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.Run(t.Context(), shell(`while :; do echo x; done`), full{}, io.Discard)
	if err == nil {
		t.Error("no error")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestLimits(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *execute.Config) {
		c.Limits = execute.Limits{CPU: time.Second, MemoryMB: 256, FileMB: 1, OpenFiles: 16}
	})
	for name, tc := range map[string]struct{ script, want string }{
		"as set":    {`ulimit -t; ulimit -d; ulimit -n; ulimit -c`, "1\n262144\n16\n0\n"},
		"file size": {`head -c 2000000 /dev/zero >big 2>/dev/null; wc -c <big`, "1048576\n"},
		"no way up": {`ulimit -n 17 2>/dev/null || echo no`, "no\n"},
		"no rights": {`grep NoNewPrivs /proc/self/status`, "NoNewPrivs:\t1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := shell(tc.script)
			task.ID = name
			var stdout, stderr output
			if _, err := f.Run(t.Context(), task, &stdout, &stderr); err != nil || stdout.String() != tc.want {
				t.Errorf("error %v, output %q, want %q; %s", err, stdout.String(), tc.want, stderr.String())
			}
		})
	}
	t.Run("processor", func(t *testing.T) {
		t.Parallel()
		if _, err := f.Run(t.Context(), shell(`while :; do :; done`), io.Discard, io.Discard); err == nil {
			t.Error("it was not ended")
		}
	})
}
