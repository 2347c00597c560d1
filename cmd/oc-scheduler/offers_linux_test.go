package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// siteNode writes the configuration of a node of the site, which has one instance and is soon missed.
func siteNode(t *testing.T, nodeID, instance string) (file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "peer.yaml")
	text := fmt.Sprintf("peer_id: site\nnode_id: %s\ndata_dir: %s\nresources: {gpu: {%s: {gpus: 4}}}\nheartbeat: {interval: 500ms, misses: 4}\n",
		nodeID, filepath.Join(dir, "data"), instance)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestNodesOfAPeer: answers count the instances of the nodes that are there, and of no other.
func TestNodesOfAPeer(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.publishWorkflow(t, []byte(`{"id":"wf","graph":{"items":{"n":{"compute":{"id":"gpu","peer_id":"site","demand":{"gpus":3}}}}}}`))
	eventually(t, "the workflow is known", func() bool { return strings.Contains(s.ask(t, "workflows").stdout, "wf") })
	answers := s.watch(t, "wf", "duration=1h&start="+time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	answers.until("nobody is there", func(r result) bool { return r.Status == "unknown" && slices.Equal(r.MissingPlanners, []string{"site"}) })
	on := func(instance string) func(result) bool {
		return func(r result) bool { return r.Available && r.Resources[0].InstanceID == instance }
	}

	config := siteNode(t, "n1", "i0")
	killFirst := s.nodeProcess(t, config)
	answers.until("the first node is there", on("i0"))
	killSecond := s.nodeProcess(t, siteNode(t, "n2", "i1"))
	eventually(t, "both are counted", func() bool {
		got := s.ask(t, "planners", "site").stdout
		return strings.Contains(got, "i0") && strings.Contains(got, "i1")
	})
	killFirst()
	answers.until("the second node is left", on("i1"))
	killSecond()
	answers.until("none is left", func(r result) bool { return r.Status == "unavailable" && len(r.MissingPlanners) == 0 })
	s.nodeProcess(t, config)
	answers.until("the first one is back", on("i0"))

	if got := s.ask(t, "nodes", "reject", "n1"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	answers.until("it was rejected", func(r result) bool { return !r.Available })
	if got := s.ask(t, "nodes", "approve", "n1"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	eventually(t, "it is a node again", func() bool { return !strings.Contains(s.ask(t, "nodes", "n1").stdout, "rejected") })
}
