package main

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"oc-scheduler/internal/fleettest"
)

// TestScriptOfThePage runs the client that docs/clients.md shows, in Node.js: it outlives the replica, which goes and comes
// back, and ends when the workflow does.
func TestScriptOfThePage(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the JavaScript of docs/clients.md is not run: there is no node on this machine")
	}
	if out, err := exec.CommandContext(t.Context(), node, "--experimental-websocket", "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)").CombinedOutput(); err != nil {
		t.Skipf("the JavaScript of docs/clients.md is not run: this node has no WebSocket: %s", out)
	}
	f := newFleet(t)
	replica := f.replica(t, "--drain-grace", "0s")
	f.put(t, "peer", replica)
	script := ""
	for _, b := range blocksOf(t, "docs/clients.md") {
		if b.language == "js" {
			script += b.text
		}
	}
	script += `
const url = process.argv[2].replace('http', 'ws') + '?start=2026-12-01T09:00:00Z&duration=1h'
watch(url, r => console.log(r.type, r.workflow_id, r.status), (code, reason) => console.log('end', code, reason))
`
	file := filepath.Join(t.TempDir(), "client.mjs")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	client := exec.CommandContext(t.Context(), node, "--no-warnings", "--experimental-websocket", file, replica.URL+"/oc/wf-peer/check")
	client.Stderr = os.Stderr
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	says := func(want string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("%q, want %q: %v", lines.Text(), want, lines.Err())
		}
	}
	says("result wf-peer unknown")
	end(t, replica)
	again := f.replica(t, "--drain-grace", "0s", "--listen", strings.TrimPrefix(replica.URL, "http://"))
	says("result wf-peer unknown")
	if a := fleettest.Send(t.Context(), http.MethodDelete, again.URL+"/oc/wf-peer", nil); a.Status != http.StatusNoContent {
		t.Fatal(a.Status)
	}
	says("end 4404 workflow gone")
	if err := client.Wait(); err != nil {
		t.Error(err)
	}
}
