package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oc-scheduler/internal/peer"
)

// TestTheDirectoryOfANode: each name has one that a file system takes, the longest too.
func TestTheDirectoryOfANode(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	long := strings.Repeat("é", 64)
	for name, want := range map[string]string{"north": "north", "a/b": "a=2Fb", long: strings.Repeat("=C3=A9", 17)[:100] + "~845836"} {
		var cfg peer.Config
		cfg.PeerID = name
		new(peerCmd).override(&cfg, lookupIn(map[string]string{"XDG_STATE_HOME": state, "HOME": state}))
		if !strings.HasPrefix(cfg.DataDir, filepath.Join(state, "oc-scheduler", "nodes", want)) {
			t.Errorf("%q: %s", name, cfg.DataDir)
		}
		if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
			t.Error(err)
		}
	}
}
