package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/natstest"
)

// replicaOn is a replica on a NATS server, in a process of its own.
func replicaOn(t *testing.T, server *natstest.Server) (*site, *fleettest.Replica) {
	t.Helper()
	r := itself().Start(t, "--nats-url", server.URL(), "--drain-grace", "0s")
	return &site{url: r.URL, bus: server.Connect(t)}, r
}

// TestABackupIsWhatTheFleetWas backs up a fleet that has all kinds of things, restores it elsewhere, and holds that all is
// told as before, that a node which stayed goes on, and that what was due fires.
func TestABackupIsWhatTheFleetWas(t *testing.T) {
	t.Parallel()
	old, fresh := natstest.Start(t), natstest.Start(t)
	s, replica := replicaOn(t, old)
	config, file := peerConfig(t), filepath.Join(t.TempDir(), "fleet.backup")
	kill := s.nodeProcess(t, config)
	s.publishWorkflow(t, []byte(`{"id":"good","graph":{"items":{"s":{"processing":{"command":["sh","-c","echo out"],"duration_s":600}},
		"n":{"compute":{"id":"gpu","peer_id":"site","demand":{"gpus":1}}}},"links":[{"source":"s","destination":"n"}]}}`))
	eventually(t, "the workflow", func() bool { return strings.Contains(s.ask(t, "workflows").stdout, "good") })
	s.says(t, exitOK, "start good -f", ": completed\n")
	s.says(t, exitOK, "schedule good --cron @daily --time-zone Europe/Paris", "active")
	s.says(t, exitOK, "hold good --ttl 10m --start "+tomorrow(9), "confirm")
	s.says(t, exitOK, "token create ops --role viewer", "oct_")
	due := idIn(t, s.ask(t, "schedule", "good", "-o", "json", "--start", time.Now().Add(6*time.Second).UTC().Format(time.RFC3339)))

	refused := invoke(t, nil, "restore", file, "--nats-url", old.URL())
	if refused.code != exitFailure || !strings.Contains(refused.stderr, "no such file") {
		t.Errorf("%+v", refused)
	}
	backup := func(to string, words string, flags ...string) {
		t.Helper()
		if got := invoke(t, nil, append([]string{"backup", to}, flags...)...); !strings.Contains(got.stdout+got.stderr, words) {
			t.Fatalf("%+v", got)
		}
	}
	backup(file+".live", "KV_plan", "--nats-url", old.URL())
	if got := invoke(t, nil, "restore", "--replace", file+".live", "--nats-url", old.URL()); got.code != exitFailure || !strings.Contains(got.stderr, "replicas live") {
		t.Errorf("%+v", got)
	}
	told := s.tells(t, due)
	kill()
	end(t, replica)
	backup(file, file+" written in", "--nats-url", old.URL())
	backup(file, "already exists", "--nats-url", old.URL())
	backup(file+"2", "--data-dir", "--data-dir", filepath.Join(t.TempDir(), "nix"))
	old.Stop()

	if got := invoke(t, nil, "restore", file, "--nats-url", fresh.URL()); got.code != exitOK || !strings.Contains(got.stdout, "replicas may start") {
		t.Fatalf("%+v", got)
	}
	s, _ = replicaOn(t, fresh)
	for command, got := range s.tells(t, due) {
		if !reflect.DeepEqual(got, told[command]) && command != "executions" { // whose node is away
			t.Errorf("%s, after the restoration:\n%v\nand before:\n%v", command, got, told[command])
		}
	}
	s.nodeProcess(t, config)
	eventually(t, "what was due has run", func() bool {
		return strings.Contains(s.ask(t, "runs", "--schedule", due).stdout, "completed")
	})
	s.says(t, exitOK, "start good -f", ": completed\n")
}

// tells is what the site says of what is kept, but for a schedule, whose time may come meanwhile, and its runs.
func (s *site) tells(t *testing.T, but string) map[string][]map[string]any {
	t.Helper()
	told := map[string][]map[string]any{}
	for _, command := range []string{"workflows", "schedules", "runs", "executions", "token list"} {
		words := strings.Fields(command + " -o json")
		got := s.ask(t, words[0], words[1:]...)
		var list []map[string]any
		if err := json.Unmarshal([]byte(got.stdout), &list); err != nil || len(list) == 0 {
			t.Fatalf("%s: %+v, %v", command, got, err)
		}
		told[command] = slices.DeleteFunc(list, func(each map[string]any) bool { return each["id"] == but || each["schedule_id"] == but })
	}
	return told
}

// TestAnEmbeddedStoreIsBackedUp while its replica is stopped, and restored into another directory.
func TestAnEmbeddedStoreIsBackedUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	serve := func(data string) (*fleettest.Replica, string) {
		r := itself().Start(t, "--nats-listen", "off", "--drain-grace", "0s", "--data-dir", at(data))
		return r, r.URL
	}
	replica, url := serve("old")
	if got := invoke(t, nil, "token", "create", "ops", "--role", "viewer", "--server", url); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	tokens := func(url string) string { return invoke(t, nil, "token", "list", "--server", url).stdout }
	want := tokens(url)
	if got := invoke(t, nil, "backup", at("file"), "--data-dir", at("old")); got.code != exitFailure || !strings.Contains(got.stderr, "in use by another oc-scheduler") {
		t.Errorf("%+v", got)
	}
	end(t, replica)
	if got := invoke(t, nil, "backup", at("file"), "--data-dir", at("old")); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if info, err := os.Stat(at("file")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if got := invoke(t, nil, "restore", at("file"), "--data-dir", at("new")); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	_, url = serve("new")
	if got := tokens(url); got != want || !strings.Contains(got, "ops") {
		t.Errorf("%s, want %s", got, want)
	}
}
