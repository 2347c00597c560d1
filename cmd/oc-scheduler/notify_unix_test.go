//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
)

// TestTheServiceManagerIsTold when a replica and a node are ready, and when they end.
func TestTheServiceManagerIsTold(t *testing.T) {
	t.Parallel()
	nats := natstest.Start(t)
	config := filepath.Join(t.TempDir(), "peer.yaml")
	if err := os.WriteFile(config, []byte("peer_id: site\nresources: {gpu: {i0: {gpus: 4}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"serve": {"serve", "--listen", "127.0.0.1:0", "--drain-grace", "0s", "--nats-url", nats.URL()},
		"peer":  {"peer", "--config", config, "--nats-url", nats.URL(), "--data-dir", t.TempDir()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp("", "n") // the name of a socket has to be short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			socket := &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"}
			manager, err := net.ListenUnixgram("unixgram", socket)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = manager.Close() })
			if err := manager.SetDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			hears := func(want string) {
				t.Helper()
				buffer := make([]byte, 256)
				n, err := manager.Read(buffer)
				if got := strings.TrimSpace(string(buffer[:n])); err != nil || got != want {
					t.Fatalf("%q, want %q: %v", got, want, err)
				}
			}
			program := exec.CommandContext(t.Context(), os.Args[0], args...)
			program.Env = append(os.Environ(), asProgram+"=1", "NOTIFY_SOCKET="+socket.Name)
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			hears("READY=1")
			if err := program.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			hears("STOPPING=1")
			if err := program.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
