package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// deadFor is how long a node of the demo stays away that has died: so long that all see it leave.
	deadFor = 30 * time.Second
	// silentFor is how long it may be silent before it counts as lost.
	silentFor = 8 * time.Second
	// endsWithin is how long a node may take for its goodbye.
	endsWithin = 15 * time.Second
)

// demoSite is the demo's nodes as processes of their own, so that one of them can be killed, and stopped, as others
// can.
type demoSite struct {
	program string // this one
	natsURL string
	dir     string
	flags   logFlags
	output  io.Writer
	log     *slog.Logger
}

// Run runs all nodes until ctx ends; then they say goodbye. One that dies is told of, and comes back after a while.
func (s *demoSite) Run(ctx context.Context) error {
	var g errgroup.Group
	for _, name := range slices.Sorted(maps.Keys(demoNodes)) {
		g.Go(func() error { s.keep(ctx, name); return nil })
	}
	return g.Wait()
}

func (s *demoSite) keep(ctx context.Context, name string) {
	for {
		err := s.live(ctx, name)
		if ctx.Err() != nil {
			if err != nil {
				s.log.WarnContext(ctx, "a node did not end well", "node_id", name, "error", err)
			}
			return
		}
		s.log.WarnContext(ctx, "a node has died, and is started again in a while", "node_id", name, "error", err, "in", deadFor.String())
		again := time.NewTimer(deadFor)
		select {
		case <-ctx.Done():
			again.Stop()
			return
		case <-again.C:
		}
	}
}

// live is one life of a node. Its log goes where the demo's does, and names it in each line.
func (s *demoSite) live(ctx context.Context, name string) error {
	cmd := exec.CommandContext(ctx, s.program, "demo-peer", name, "--nats-url", s.natsURL, "--data-dir", filepath.Join(s.dir, name),
		"--silence", silentFor.String(), "--log-level", s.flags.LogLevel.String(), "--log-format", s.flags.LogFormat)
	cmd.Stderr, cmd.SysProcAttr = s.output, withParent()
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, endsWithin
	err := bound(func() error {
		if err := cmd.Start(); err != nil {
			return err
		}
		s.log.InfoContext(ctx, "node started", "node_id", name, "pid", cmd.Process.Pid)
		return cmd.Wait()
	})
	if errors.Is(err, ctx.Err()) { // it was told to end, and did so well
		return nil
	}
	return err
}

// lines has several processes and a logger write to one writer, one after the other.
type lines struct {
	mu sync.Mutex
	io.Writer
}

// sharedOutput is a writer that several processes may have; a file is shared as it is.
func sharedOutput(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		return f
	}
	return &lines{Writer: w}
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Writer.Write(b)
}
