package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorOnTheWholeProgram examines a replica as `serve` runs it, well and then ill.
func TestDoctorOnTheWholeProgram(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	nats := s.bus.ConnectedUrl()

	well := invoke(t, nil, "doctor", "--nats-url", nats, "--server", s.url)
	if well.code != exitOK || well.stderr != "" || !strings.Contains(well.stdout, " 1 UNKNOWN, 0 WARN, 0 FAIL\n") {
		t.Errorf("%+v", well)
	}
	for _, words := range []string{"OK ", " streams as the replicas need them", "1 replica: ", s.url + " is ready", "→ give --nats-monitor"} {
		if !strings.Contains(well.stdout, words) {
			t.Errorf("%q is missing in\n%s", words, well.stdout)
		}
	}

	if err := s.bus.Publish("$KV.workflows.junk", []byte("junk")); err != nil {
		t.Fatal(err)
	}
	if err := s.bus.Publish("$KV.replicas.ghost", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := s.bus.Flush(); err != nil {
		t.Fatal(err)
	}
	var findings []struct{ Level, Check, What, Mend string }
	eventually(t, "the replica and the doctor say what is wrong", func() bool {
		ill := invoke(t, map[string]string{"OC_NATS_URL": nats, "OC_SERVER": s.url}, "doctor", "-o", "json")
		if ill.code != exitFailure || ill.stderr != "" {
			t.Fatalf("%+v", ill)
		}
		if err := json.Unmarshal([]byte(ill.stdout), &findings); err != nil {
			t.Fatal(err)
		}
		bad := map[string]string{}
		for _, f := range findings {
			if f.Level != "ok" {
				bad[f.Check+" "+f.Level] += f.What
			}
		}
		return strings.Contains(bad["leases fail"], "ghost") && strings.Contains(bad["values warn"], "workflows junk") &&
			strings.Contains(bad["replica warn"], "junk")
	})
}

// TestDoctorOfAReplicaThatWaits holds that its reason is told.
func TestDoctorOfAReplicaThatWaits(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "http")
	code := make(chan int, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		var log strings.Builder
		code <- run(ctx, []string{"serve", "--nats-url", "nats://127.0.0.1:1", "--listen", "127.0.0.1:0", "--listen-file", file, "--drain-grace", "0s"}, lookupIn(nil), &log, &log)
	}()
	defer func() {
		cancel()
		if c := <-code; c != exitOK {
			t.Errorf("serve exited with %d", c)
		}
	}()
	eventually(t, "it listens", func() bool { _, err := os.Stat(file); return err == nil })
	got := invoke(t, nil, "doctor", "--nats-url", "nats://127.0.0.1:1", "--server", read(t, file))
	if got.code != exitFailure || !strings.Contains(got.stdout, "not ready: nats: ") || !strings.Contains(got.stdout, "nobody listens there") {
		t.Errorf("%+v", got)
	}
}
