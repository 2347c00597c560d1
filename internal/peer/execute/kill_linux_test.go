package execute_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer/execute"
)

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func gone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		if alive(pid) {
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			t.Errorf("process %d is still there: %s", pid, stat)
		}
	}
}

// family is a program that starts a child, a grandchild that leaves the group, and a daemon of its own
// session whose parent has gone; it writes their numbers.
const family = `
echo $$
sleep 300 & echo $!
setsid sh -c 'echo $$; sleep 300 & echo $!; wait' &
(setsid sh -c 'echo $$; exec sleep 300' </dev/null &)
`

const relatives = 5

func TestCancelLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"it ends when asked": family + `trap 'kill $(jobs -p); exit 0' TERM; wait`,
		"it does not":        `trap '' TERM;` + family + `while :; do sleep 300; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("not wanted")
			var stdout output
			ended := make(chan error, 1)
			go func() {
				_, err := f.Run(ctx, shell(script), &stdout, io.Discard)
				ended <- err
			}()
			pids := stdout.pids(t, relatives)
			cancel(why)
			if strings.Contains(script, "trap ''") {
				if err := f.clock.BlockUntilContext(t.Context(), 2); err != nil { // the limit and the grace
					t.Fatal(err)
				}
				if !alive(pids[0]) {
					t.Error("it was killed before its time")
				}
				f.clock.Advance(5 * time.Second)
			}
			if err := <-ended; !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
			gone(t, pids)
		})
	}
}

func TestTheEndOfAProgramIsThatOfItsRelatives(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var stdout output
	code, err := f.Run(t.Context(), shell(family+"sleep 0.3; exit 4"), &stdout, io.Discard)
	if err != nil || code != 4 {
		t.Errorf("code %d, error %v", code, err)
	}
	gone(t, stdout.pids(t, relatives))
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var stdout output
	ended := make(chan error, 1)
	go func() {
		task := shell(family + "wait")
		task.Timeout = time.Minute
		_, err := f.Run(t.Context(), task, &stdout, io.Discard)
		ended <- err
	}()
	pids := stdout.pids(t, relatives)
	f.clock.Advance(time.Minute - 1)
	select {
	case err := <-ended:
		t.Fatalf("ended early: %v", err)
	default:
	}
	f.clock.Advance(1)
	if err := <-ended; !errors.Is(err, execute.ErrTimeout) {
		t.Errorf("error %v", err)
	}
	gone(t, pids)
}

func TestKilledKeeper(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var stdout output
	_, err := f.Run(t.Context(), shell("echo $$; sleep 300 & echo $!; kill -9 $PPID; sleep 300"), &stdout, io.Discard)
	if err == nil {
		t.Error("no error")
	}
	natstest.Eventually(t, "its group is gone", func() bool {
		for _, pid := range stdout.pids(t, 2) {
			if stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); alive(pid) && !bytes.Contains(stat, []byte(") Z ")) {
				return false
			}
		}
		return true
	})
}

// TestStoppedKeeper: a program that stops its keeper, again and again, ends like any other.
func TestStoppedKeeper(t *testing.T) {
	t.Parallel()
	const again = `(while :; do kill -STOP $PPID; done) & `
	for name, script := range map[string]string{
		"once":            family + `kill -STOP $PPID; wait`,
		"and is gone":     family + `kill -STOP $PPID; exit 0`,
		"again and again": `trap '' TERM;` + again + family + `wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(c *execute.Config) { c.Grace = time.Millisecond })
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("not wanted")
			var stdout output
			ended := make(chan error, 1)
			go func() {
				_, err := f.Run(ctx, shell(script), &stdout, io.Discard)
				ended <- err
			}()
			pids := stdout.pids(t, relatives)
			cancel(why)
			if err := <-ended; !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
			gone(t, pids)
		})
	}
}

// TestForgedReports: a program can write where its keeper does, and hold that open. What has escaped the
// keeper by then lives on, as the package says; nothing else is killed, and the execution ends.
func TestForgedReports(t *testing.T) {
	t.Parallel()
	victim := exec.CommandContext(t.Context(), "sleep", "300")
	victim.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	var stdout output
	_, err := f.Run(t.Context(), shell(`exec 7>/proc/$PPID/fd/3; echo "{\"Started\":$1}" >&7
setsid sh -c 'echo $$; exec sleep 300 >&- 2>&-' & sleep 0.3; exec >&- 2>&-; kill -9 $PPID; sleep 300`, strconv.Itoa(victim.Process.Pid)), &stdout, io.Discard)
	if err == nil {
		t.Error("no error")
	}
	if err := syscall.Kill(stdout.pids(t, 1)[0], syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if err := victim.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := victim.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("a process that was not the program's ended with %v", err)
	}
}

func TestCancelDuringStart(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *execute.Config) { c.Grace = time.Millisecond })
	why := errors.New("not wanted")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			time.AfterFunc(time.Duration(i)*2*time.Millisecond, func() { cancel(why) })
			task := shell("trap '' TERM; sleep 300")
			task.ID = strconv.Itoa(i)
			if _, err := f.Run(ctx, task, io.Discard, io.Discard); !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
		})
	}
	wg.Wait()
	if left, err := os.ReadDir(f.dir); err != nil || len(left) > 0 {
		t.Errorf("left in the directory: %v, %v", left, err)
	}
}

// TestHostileNames: the name of a process stands in the middle of what the keeper reads about it.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a) Z 1 (")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho $$; sleep 300 & echo $!; wait\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	var stdout output
	if code, err := f.Run(t.Context(), shell(`setsid "$1" & sleep 0.3`, file), &stdout, io.Discard); err != nil || code != 0 {
		t.Errorf("code %d, error %v", code, err)
	}
	gone(t, stdout.pids(t, 2))
}

// TestADeadNodeLeavesNothing kills this executable, which runs a program as a node does.
func TestADeadNodeLeavesNothing(t *testing.T) {
	t.Parallel()
	node := exec.CommandContext(t.Context(), "/proc/self/exe")
	node.Env = append(os.Environ(), nodeVariable+"="+t.TempDir())
	var stdout output
	node.Stdout = &stdout
	node.WaitDelay = time.Minute
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	pids := stdout.pids(t, relatives)
	if err := node.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := node.Wait(); err == nil {
		t.Error("the node ended by itself")
	}
	natstest.Eventually(t, "all processes are gone", func() bool {
		return !slices.ContainsFunc(pids, alive)
	})
}

// nodeVariable makes this executable a node that runs the family, in the directory that it names.
const nodeVariable = "EXECUTE_TEST_NODE"

func beNode(dir string) error {
	cfg := execute.Config{Type: execute.KindProcess, Commands: []string{"sh"}}
	cfg.SetDefaults()
	executor, err := execute.New(cfg, filepath.Join(dir, "work"), clockwork.NewRealClock(), slog.Default())
	if err == nil {
		_, err = executor.Run(context.Background(), shell("trap '' TERM;"+family+"sleep 300"), os.Stdout, os.Stderr)
	}
	return err
}
