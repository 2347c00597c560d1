package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"oc-scheduler/internal/natstest"
)

// TestNATSConfig prints a configuration that a server takes, and seeds with which a replica has its rights.
func TestNATSConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var config, errs bytes.Buffer
	args := []string{"nats-config", "--node", "north", "--node", "north.2", "--seeds", dir}
	if code := run(t.Context(), args, lookupIn(nil), &config, &errs); code != exitOK {
		t.Fatalf("%d %s", code, errs.String())
	}
	file := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(file, config.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := natstest.Start(t, func(o *server.Options) {
		port := o.Port
		if err := o.ProcessConfigFile(file); err != nil {
			t.Error(err)
		}
		o.Host, o.Port = "127.0.0.1", port
	})
	var found bytes.Buffer
	run(t.Context(), []string{"doctor", "--nats-url", srv.URL(), "--nats-nkey", filepath.Join(dir, "scheduler.nk")}, lookupIn(nil), &found, &errs)
	if !strings.Contains(found.String(), "rights that a replica needs") || strings.Contains(found.String(), "may not") {
		t.Errorf("%s%s", found.String(), errs.String())
	}
	if info, err := os.Stat(filepath.Join(dir, "node-north=2E2.nk")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	errs.Reset()
	if code := run(t.Context(), args, lookupIn(nil), &config, &errs); code != exitFailure || !strings.Contains(errs.String(), "--seeds") {
		t.Errorf("seeds are written over: %d %s", code, errs.String())
	}
	secret := filepath.Join(dir, "none")
	if err := os.WriteFile(secret, []byte("s3cret"), 0o600); err != nil {
		t.Fatal(err)
	}
	errs.Reset()
	if code := run(t.Context(), []string{"doctor", "--nats-nkey", secret}, lookupIn(nil), &found, &errs); code != exitFailure ||
		!strings.Contains(errs.String(), "--nats-nkey") || strings.Contains(errs.String(), "s3cret") {
		t.Errorf("no seed: %d %s", code, errs.String())
	}
}
