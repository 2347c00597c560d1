package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPageOfEmbedding holds that a module as the page shows it has the packages, and that none brings a server along.
func TestPageOfEmbedding(t *testing.T) {
	t.Parallel()
	blocks := blocksOf(t, "docs/embedding.md")
	at := slices.IndexFunc(blocks, func(b block) bool { return b.language == "mod" })
	here, err := filepath.Abs(root)
	if err != nil || at < 0 {
		t.Fatal(at, err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": strings.Replace(blocks[at].text, "../oc-scheduler", here, 1), "go.sum": read(t, root+"go.sum"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for of, heavy := range map[string][]string{
		"streams/compute": {"nats-server", "labstack/echo", "oc-scheduler/internal", "oc-scheduler/httpapi"},
		"client":          {"nats-io", "labstack/echo", "oc-scheduler/internal", "oc-scheduler/httpapi", "oc-scheduler/streams", "oc-scheduler/store"},
	} {
		list := exec.CommandContext(t.Context(), "go", "list", "-mod=mod", "-deps", "oc-scheduler/"+of)
		list.Dir, list.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
		out, err := list.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, one := range heavy {
			if strings.Contains(string(out), one) {
				t.Errorf("%s brings along %s", of, one)
			}
		}
	}
	if shown, want := blocks[0].text, "go test -run '^Example$' -v ./streams/compute\n"; !strings.HasSuffix(shown, want) {
		t.Errorf("%s", shown)
	}
}
