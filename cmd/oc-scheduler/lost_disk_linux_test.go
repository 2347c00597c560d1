//go:build long

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
)

// wipe takes a node's disk away.
func wipe(t *testing.T, config string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(filepath.Dir(config), "data")); err != nil {
		t.Fatal(err)
	}
}

// silent has the node's time without a heartbeat be over.
func (s *site) silent(t *testing.T) {
	t.Helper()
	js, err := jetstream.New(s.bus)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), store.LivenessBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Purge(t.Context(), "n1"); err != nil {
		t.Fatal(err)
	}
}

// busyNode is a node with four executions that run, one that waits, and one that has ended.
func (s *site) busyNode(t *testing.T) (config, count string, kill func(), open []string, ended string) {
	t.Helper()
	config, count = peerConfig(t), filepath.Join(t.TempDir(), "count")
	kill = s.nodeProcess(t, config)
	ended = s.sh(t, "echo fine >>"+count)
	s.reaches(t, ended, "completed")
	for range 4 { // as many as run at a time
		id := s.sh(t, "echo begun; exec sleep 300")
		s.reaches(t, id, "running")
		open = append(open, id)
	}
	waiting := s.sh(t, "echo waited >>"+count)
	s.reaches(t, waiting, "queued")
	return config, count, kill, append(open, waiting), ended
}

// TestALostDisk: what the old ledger knew ends, nothing runs a second time, and what never got there runs.
func TestALostDisk(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, count, kill, open, ended := s.busyNode(t)
	begun, followed := s.follow(t, "logs", "-f", open[0]), s.follow(t, "logs", "-f", open[len(open)-1])
	eventually(t, "the follower has the output", func() bool { return begun.shown() == "begun\n" })
	kill()
	later := s.sh(t, "echo later >>"+count)
	wipe(t, config)
	s.silent(t)
	s.nodeProcess(t, config)
	for _, id := range open {
		if e := s.reaches(t, id, "failed"); !strings.HasPrefix(e.Reason, "node lost: ") || e.EndedAt.IsZero() {
			t.Errorf("%+v", e)
		}
	}
	if got := <-followed.end; got.code != exitOK || got.stdout != "" {
		t.Errorf("a follower: %+v", got)
	}
	if got := <-begun.end; got.code != exitOK || got.stdout != "begun\n" {
		t.Errorf("a follower of what had begun: %+v", got)
	}
	s.reaches(t, later, "completed")
	s.reaches(t, s.sh(t, "true"), "completed")
	s.reaches(t, ended, "completed")
	if got := read(t, count); got != "fine\nlater" {
		t.Errorf("what ran: %q", got)
	}
}

// TestARemovedNodesExecutions end with it, also when it comes back.
func TestARemovedNodesExecutions(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, count, kill, open, _ := s.busyNode(t)
	kill()
	sent := s.sh(t, "echo sent >>"+count)
	followed := s.follow(t, "run", "n1", "--", "sh", "-c", "echo awaited >>"+count)
	eventually(t, "it is ordered", func() bool { return strings.Count(s.ask(t, "executions").stdout, "ordered") == 2 })
	if got := s.ask(t, "nodes", "remove", "n1"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, id := range append(open, sent) {
		if e := s.reaches(t, id, "failed"); e.Reason != "node removed" || e.EndedAt.IsZero() {
			t.Errorf("%+v", e)
		}
	}
	if got := <-followed.end; got.code != exitNotRun || !strings.Contains(got.stderr, "failed: node removed") {
		t.Errorf("a follower: %+v", got)
	}
	if got := s.ask(t, "cancel", sent); got.stdout != sent+" had ended: failed\n" {
		t.Errorf("%+v", got)
	}
	s.nodeProcess(t, config) // with its ledger
	s.reaches(t, s.sh(t, "true"), "completed")
	for _, id := range append(open, sent) {
		if e := s.execution(t, id); e.State != "failed" || e.Reason != "node removed" {
			t.Errorf("%+v", e)
		}
	}
	if got := read(t, count); got != "fine" && got != "fine\nwaited" { // a node that comes back begins what waited in its own ledger
		t.Errorf("what ran: %q", got)
	}
}

// TestOrdersLostOnTheWay: an order that was purged before its node had it has an end.
func TestOrdersLostOnTheWay(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, count := peerConfig(t), filepath.Join(t.TempDir(), "count")
	kill := s.nodeProcess(t, config)
	s.reaches(t, s.sh(t, "true"), "completed")
	kill()
	followed := s.follow(t, "run", "--id", "purged", "n1", "--", "sh", "-c", "echo purged >>"+count)
	eventually(t, "it is sent", func() bool { return s.ask(t, "executions", "purged").code == exitOK })
	js, err := jetstream.New(s.bus)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), nclprotocol.InStream)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is purged", func() bool {
		info, err := stream.Info(t.Context())
		return err == nil && info.State.Msgs > 0 && stream.Purge(t.Context()) == nil
	})
	kept := s.sh(t, "echo kept >>"+count)
	s.nodeProcess(t, config)
	s.reaches(t, kept, "completed")
	if e := s.reaches(t, "purged", "failed"); !strings.HasPrefix(e.Reason, "order lost: ") {
		t.Errorf("%+v", e)
	}
	if got := <-followed.end; got.code != exitNotRun || !strings.Contains(got.stderr, "order lost: ") {
		t.Errorf("a follower: %+v", got)
	}
	if got := read(t, count); got != "kept" {
		t.Errorf("what ran: %q", got)
	}
}

// TestARecordRemovedByHand is made anew by a node that lives, and what it runs goes on.
func TestARecordRemovedByHand(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.nodeProcess(t, peerConfig(t))
	gate := filepath.Join(t.TempDir(), "gate")
	running, forgotten := s.sh(t, `until test -e `+gate+`; do sleep 0.05; done`), s.sh(t, `until test -e `+gate+`; do sleep 0.05; done; exit 3`)
	s.reaches(t, running, "running")
	s.reaches(t, forgotten, "running")
	js, err := jetstream.New(s.bus)
	if err != nil {
		t.Fatal(err)
	}
	for bucket, key := range map[string]string{store.NodesBucket: "n1", store.ExecutionsBucket: forgotten} {
		kv, err := js.KeyValue(t.Context(), bucket)
		if err != nil {
			t.Fatal(err)
		}
		if err := kv.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "it is forgotten", func() bool { return s.ask(t, "nodes", "n1").code != exitOK })
	s.connected(t)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.reaches(t, running, "completed")
	eventually(t, "the other one is known again", func() bool { return s.ask(t, "executions", forgotten).code == exitOK })
	s.reaches(t, forgotten, "failed")
}

// TestAnOlderBackup: a node whose disk was restored goes on as one with another ledger, which knows what it had at
// that time, and has no order a second time.
func TestAnOlderBackup(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	config, count := peerConfig(t), filepath.Join(t.TempDir(), "count")
	kill := s.nodeProcess(t, config)
	s.reaches(t, s.sh(t, "echo one >>"+count), "completed")
	kept := s.sh(t, "exec sleep 300")
	s.reaches(t, kept, "running")
	kill()
	data, backup := filepath.Join(filepath.Dir(config), "data"), filepath.Join(t.TempDir(), "backup")
	if err := os.CopyFS(backup, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}

	kill = s.nodeProcess(t, config)
	if e := s.reaches(t, kept, "failed"); e.Reason != "node restarted" {
		t.Errorf("%+v", e)
	}
	two := s.sh(t, "echo two >>"+count)
	s.reaches(t, two, "completed")
	open := s.sh(t, "exec sleep 300")
	s.reaches(t, open, "running")
	kill()
	wipe(t, config)
	if err := os.CopyFS(data, os.DirFS(backup)); err != nil {
		t.Fatal(err)
	}
	s.silent(t)
	s.nodeProcess(t, config)
	if e := s.reaches(t, open, "failed"); !strings.HasPrefix(e.Reason, "node lost: ") {
		t.Errorf("%+v", e)
	}
	s.reaches(t, s.sh(t, "echo three >>"+count), "completed")
	s.reaches(t, two, "completed")
	if e := s.execution(t, kept); e.Reason != "node restarted" {
		t.Errorf("%+v", e)
	}
	if got := read(t, count); got != "one\ntwo\nthree" {
		t.Errorf("what ran: %q", got)
	}
}
