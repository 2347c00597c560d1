package execute_test

import (
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer/execute"
)

// fixture is a process executor with a few commands.
type fixture struct {
	execute.Executor
	dir   string
	clock *clockwork.FakeClock
}

func newFixture(t *testing.T, change ...func(*execute.Config)) fixture {
	t.Helper()
	cfg := execute.Config{Type: execute.KindProcess, Commands: []string{"sh", "env", "/bin/cat"}}
	cfg.SetDefaults()
	for _, c := range change {
		c(&cfg)
	}
	f := fixture{dir: filepath.Join(t.TempDir(), "work"), clock: clockwork.NewFakeClock()}
	var clock clockwork.Clock = f.clock
	if cfg.Grace == time.Millisecond {
		clock = clockwork.NewRealClock()
	}
	var err error
	if f.Executor, err = execute.New(cfg, f.dir, clock, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	return f
}

// output is what a program wrote, while it runs.
type output struct {
	mu   sync.Mutex
	text []byte
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// pids waits until a program has written n process numbers.
func (o *output) pids(t *testing.T, n int) []int {
	t.Helper()
	var pids []int
	natstest.Eventually(t, "process numbers", func() bool {
		pids = nil
		for word := range strings.FieldsSeq(o.String()) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatalf("output: %s", o.String())
			}
			pids = append(pids, pid)
		}
		return len(pids) == n
	})
	return pids
}

func shell(script string, args ...string) execute.Task {
	return execute.Task{ID: "x/1", Command: append([]string{"sh", "-c", script, "sh"}, args...)}
}
