package natstest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// clockVariable is by how much the clock of a process is ahead that runs what Shiftable has built.
const clockVariable = "NATSTEST_CLOCK"

// Ahead is the environment of a process whose clock is ahead; it must run what Shiftable has built.
func Ahead(d time.Duration) string { return clockVariable + "=" + d.String() }

// Shiftable builds the test binary of the package under test once more, with a clock that Ahead shifts.
// Durations are measured as ever. It takes long: as much as all that the binary consists of.
func Shiftable(tb testing.TB) (path string) {
	tb.Helper()
	dir := tb.TempDir()
	path = filepath.Join(dir, "shiftable.test")
	build := exec.CommandContext(tb.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay(tb, dir), "-o", path, ".")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("natstest: a binary whose clock can be shifted: %v: %s", err, out)
	}
	return path
}

// overlay has the standard library's clock read through another function.
func overlay(tb testing.TB, dir string) (path string) {
	tb.Helper()
	root, err := exec.CommandContext(tb.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	original := filepath.Join(string(bytes.TrimSpace(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		tb.Fatal(err)
	}
	const now = "func Now() Time {\n\tsec, nsec, mono := "
	changed := bytes.Replace(source, []byte(now+"runtimeNow()"), []byte(now+"shifted(runtimeNow())"), 1)
	if bytes.Equal(changed, source) {
		tb.Fatalf("natstest: %s does not read the clock as it did", original)
	}
	replace := map[string]string{}
	for as, content := range map[string][]byte{original: changed, filepath.Join(filepath.Dir(original), "shifted.go"): []byte(shifted)} {
		replace[as] = filepath.Join(dir, filepath.Base(as))
		write(tb, replace[as], content)
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		tb.Fatal(err)
	}
	path = filepath.Join(dir, "overlay.json")
	write(tb, path, list)
	return path
}

const shifted = `package time

import "syscall"

var ahead = func() int64 {
	text, _ := syscall.Getenv("` + clockVariable + `")
	d, _ := ParseDuration(text)
	return int64(d)
}()

func shifted(sec int64, nsec int32, mono int64) (int64, int32, int64) {
	ns := sec*1e9 + int64(nsec) + ahead
	return ns / 1e9, int32(ns % 1e9), mono
}
`

func write(tb testing.TB, path string, content []byte) {
	tb.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		tb.Fatal(err)
	}
}

// StartShifted is StartProcesses with servers that run what Shiftable has built, each with a clock of its
// own: ahead by that much.
func StartShifted(tb testing.TB, shiftable string, ahead ...time.Duration) *Cluster {
	tb.Helper()
	started := 0
	clocks := map[string]time.Duration{} // by the name of the server
	return startCluster(tb, len(ahead), func(o server.Options) (runner, error) {
		if _, again := clocks[o.ServerName]; !again {
			clocks[o.ServerName] = ahead[started]
			started++
		}
		return spawnAs(shiftable, o, Ahead(clocks[o.ServerName]))
	}, nil)
}

// Lead has a server lead a stream.
func (c *Cluster) Lead(tb testing.TB, s *Server, stream string) {
	tb.Helper()
	nc := c.Connect(tb)
	request := fmt.Appendf(nil, `{"placement":{"preferred":%q}}`, s.Name())
	Eventually(tb, s.Name()+" leads "+stream, func() bool {
		if c.StreamLeader(tb, stream) == s {
			return true
		}
		ctx, cancel := context.WithTimeout(tb.Context(), time.Second)
		defer cancel()
		_, _ = nc.RequestWithContext(ctx, "$JS.API.STREAM.LEADER.STEPDOWN."+stream, request) // the next look tells
		return false
	})
}
