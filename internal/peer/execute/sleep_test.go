package execute_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/peer/execute"
)

func TestSleepTakesItsTime(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		task    execute.Task
		takes   time.Duration
		timeout bool
	}{
		"seconds":                 {execute.Task{Command: []string{"sleep", "2.5"}}, 2500 * time.Millisecond, false},
		"several":                 {execute.Task{Command: []string{"sleep", "1m", "30s", "1"}}, 91 * time.Second, false},
		"none":                    {execute.Task{Command: []string{"sleep", "0"}}, 0, false},
		"less than is planned":    {execute.Task{Command: []string{"sleep", "2"}, Duration: time.Hour}, 2 * time.Second, false},
		"duration":                {execute.Task{Command: []string{"align", "x"}, Duration: time.Hour}, time.Hour, false},
		"beyond its own timeout":  {execute.Task{Command: []string{"sleep", "9"}, Timeout: 4 * time.Second}, 4 * time.Second, true},
		"beyond the node's limit": {execute.Task{Duration: 3 * time.Hour, Timeout: 5 * time.Hour}, 2 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := execute.Sleep{Clock: clockwork.NewRealClock(), Limit: 2 * time.Hour}
				var out strings.Builder
				began := time.Now()
				code, err := s.Run(t.Context(), tc.task, &out, io.Discard)
				if took := time.Since(began); took != tc.takes || code != 0 || errors.Is(err, execute.ErrTimeout) != tc.timeout || err != nil && !tc.timeout {
					t.Errorf("took %v, want %v; code %d, error %v", took, tc.takes, code, err)
				}
				lines := strings.Split(strings.TrimSpace(out.String()), "\n")
				if last := "slept " + tc.takes.String() + " of "; len(lines) > 25 || !strings.HasPrefix(lines[len(lines)-1], last) {
					t.Errorf("output: %s", out.String())
				}
			})
		})
	}
}

func TestSleepIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("not wanted")
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		time.AfterFunc(90*time.Minute+1, func() { cancel(why) })
		s := execute.Sleep{Clock: clockwork.NewRealClock(), Limit: 24 * time.Hour}
		_, err := s.Run(ctx, execute.Task{Duration: 10 * time.Hour}, io.Discard, io.Discard)
		if took := time.Since(began); !errors.Is(err, why) || took != 90*time.Minute+1 {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

func TestSleepRefusesOtherCommands(t *testing.T) {
	t.Parallel()
	s, err := execute.New(execute.Config{Type: execute.KindSleep, Timeout: time.Hour}, t.TempDir(), clockwork.NewRealClock(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"", "sleep", "rm -rf", "sleep -1", "sleep 1 -1s", "sleep NaN", "sleep +Inf", "sleep 1e300", "sleep 9000h", "sleep 5000h 5000h", "sleep soon", "sleep 0x10p0", "sleep 1_0", "sleep +5s"} {
		task := execute.Task{Command: strings.Fields(command)}
		if s.Check(task) == nil {
			t.Errorf("Check allows %q", command)
		}
		if _, err := s.Run(t.Context(), task, io.Discard, io.Discard); err == nil {
			t.Errorf("%q ran", command)
		}
	}
}

func TestFaultsOfConfigurations(t *testing.T) {
	t.Parallel()
	var fine execute.Config
	fine.SetDefaults()
	if faults := fine.Faults(); len(faults) > 0 {
		t.Errorf("the defaults: %v", faults)
	}
	bad := execute.Config{
		Type: "docker", MaxConcurrent: -1, MaxQueued: -1, Timeout: -1, Grace: -1,
		Environment: []string{"", "A=B", "LD_PRELOAD", "HOME", "FINE"},
		Limits:      execute.Limits{CPU: time.Millisecond, MemoryMB: 1, OpenFiles: 3, FileMB: 1 << 50},
	}
	if faults := bad.Faults(); len(faults) != 13 {
		t.Errorf("%d faults: %v", len(faults), faults)
	}
	for _, c := range []execute.Config{{Type: execute.KindProcess}, {Type: execute.KindSleep, Commands: []string{"sh"}}} {
		c.SetDefaults()
		if faults := c.Faults(); len(faults) != 1 || faults[0].Field != "commands" {
			t.Errorf("faults: %v", faults)
		}
	}
}
