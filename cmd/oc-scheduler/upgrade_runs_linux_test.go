//go:build long

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// nodeOf is a node as a process, which offers the instance i0 of gpu.
func (l *load) nodeOf(t *testing.T, program fleettest.Program, i int) {
	t.Helper()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "peer.yaml")
	text := fmt.Sprintf("peer_id: %s\ndata_dir: %s\nresources: {gpu: {i0: {gpus: 10000}}}\nexecutor: {max_concurrent: 64}\n", siteOf(i), dir)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	node := program.Run(t, "peer", "--config", file, "--nats-url", l.urls[0])
	l.dirs, l.nodes = append(l.dirs, dir), append(l.nodes, func() {
		if err := node.Drain(); err != nil {
			t.Error(err)
		}
		if err := node.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// rollsAtWork rolls a fleet to this version and back while nodes of both versions run what was booked: what falls due
// meanwhile begins once, and what is under way completes.
func rollsAtWork(t *testing.T, older fleettest.Program) {
	t.Helper()
	const n, steps = 24, 4
	urls := []string{natstest.Start(t).URL()}
	l := &load{urls: urls, crew: crewOf(t, older, 2, "--nats-url", urls[0], "--drain-grace", "300ms")}
	l.node(t, 0)
	l.nodeOf(t, older, 1)
	l.workflows(t, "2")
	l.book(t, n, time.Now().Add(2*time.Second), 8*time.Second)
	for step, next := range []fleettest.Program{itself(), itself(), older, older} {
		eventually(t, fmt.Sprint("it has begun with what is due at step ", step), func() bool { return l.begun(t) > n*step/steps })
		l.program = next
		l.roll(t, step%2)
	}
	tellLateness(t, "a fleet is rolled, and back", l.ended(t, n))
	l.audit(t, n)
}
