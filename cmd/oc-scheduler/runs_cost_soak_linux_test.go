//go:build soak

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ticks are how many of a process's ticks make a second (sysconf, _SC_CLK_TCK).
const ticks = 100

// spent is the time of processors that replicas, NATS's servers and this process, with its nodes, have spent.
type spent struct{ replicas, nats, nodes time.Duration }

// spentByNow reads it of those of this test that live.
func spentByNow(t *testing.T) (s spent) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has gone
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		f := strings.Fields(rest)
		user, _ := strconv.Atoi(f[11])
		system, _ := strconv.Atoi(f[12])
		took := time.Duration(user+system) * time.Second / ticks
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		switch {
		case filepath.Base(dir) == fmt.Sprint(os.Getpid()):
			s.nodes += took
		case f[1] != fmt.Sprint(os.Getpid()):
		case strings.Contains(string(args), "\x00serve\x00"):
			s.replicas += took
		default:
			s.nats += took
		}
	}
	return s
}

// tellCost reports what n runs have cost since.
func tellCost(t *testing.T, since spent, n time.Duration) {
	t.Helper()
	now := spentByNow(t)
	t.Logf("each run cost replicas %v, NATS %v, nodes %v", (now.replicas-since.replicas)/n, (now.nats-since.nats)/n, (now.nodes-since.nodes)/n)
}
