//go:build long

package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/internal/fleettest"
)

// versionBefore builds it from the history of this repository.
func versionBefore(t *testing.T) fleettest.Program {
	t.Helper()
	command := func(dir string, line ...string) ([]byte, error) {
		c := exec.CommandContext(t.Context(), line[0], line[1:]...)
		c.Dir = dir
		return c.CombinedOutput()
	}
	if out, err := command(root, "git", "cat-file", "-e", before+"^{commit}"); err != nil {
		t.Skipf("no roll from the version before: commit %s is not in this copy's history (git fetch --unshallow): %v %s", before, err, out)
	}
	dir := t.TempDir()
	if out, err := command(root, "git", "archive", "--format=tar", "-o", filepath.Join(dir, "sources.tar"), before); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for _, line := range [][]string{
		{"tar", "xf", "sources.tar"},
		{"go", "build", "-trimpath", "-buildvcs=false", "-o", "before", "./cmd/oc-scheduler"}, // shares this build's cache
	} {
		if out, err := command(dir, line...); err != nil {
			t.Fatalf("%v: %v %s", line, err, out)
		}
	}
	return fleettest.Program{Path: filepath.Join(dir, "before")}
}

// TestUpgradeAndBack rolls a fleet from the version before to this one, and back, while clients watch and ask; and an
// embedded store likewise; and one whose nodes are at work. Nobody notices, but for streams that are closed with 1012; and what one version has stored the
// other shows.
func TestUpgradeAndBack(t *testing.T) {
	t.Parallel()
	older := versionBefore(t)
	t.Run("fleet", func(t *testing.T) { t.Parallel(); rollsAndBack(t, older) })
	t.Run("at work", func(t *testing.T) { t.Parallel(); rollsAtWork(t, older) })
	t.Run("embedded", func(t *testing.T) { t.Parallel(); reopensAndBack(t, older) })
}

func rollsAndBack(t *testing.T, older fleettest.Program) {
	t.Helper()
	f := newFleet(t)
	begin := func(p fleettest.Program) *fleettest.Replica {
		return p.Start(t, "--nats-url", f.server.URL(), "--drain-grace", "300ms")
	}
	replicas := []*fleettest.Replica{begin(older), begin(older)}
	present := make(chan []*fleettest.Replica, 1) // as a load balancer knows them
	present <- replicas
	now := func(i int) string { r := <-present; present <- r; return r[i%len(r)].URL }
	f.put(t, "peer", replicas...)
	var streams []*fleettest.Stream
	for i := range 6 {
		streams = append(streams, fleettest.Open(t, fleettest.CheckPath("wf-peer"), func(attempt int) string { return now(i + attempt) }))
	}
	f.asked(t, "peer")
	stop := f.load(t, now)
	current := func(after string) {
		f.peers.PublishAll(t, "peer")
		t.Logf("%s: streams are current after %v", after, fleettest.Current(t, streams, f.peers.Levels()))
	}
	current("the start")
	for step, next := range []fleettest.Program{itself(), itself(), older, older} {
		r := begin(next)
		was := (<-present)[step%2]
		replicas = append([]*fleettest.Replica(nil), replicas...)
		replicas[step%2] = r
		present <- replicas
		end(t, was)
		current(fmt.Sprint("step ", step))
		f.put(t, fmt.Sprint("step-", step), replicas...) // each shows what was written through the other
	}
	for _, odd := range stop() {
		t.Error(odd)
	}
	for code, n := range closes(streams) {
		if code != websocket.StatusServiceRestart {
			t.Errorf("%d streams were closed with %d", n, code)
		}
	}
	for step := range 4 {
		if a := fleettest.Get(t.Context(), now(0)+fmt.Sprint("/oc/wf-step-", step)); a.Status != http.StatusOK {
			t.Errorf("what was stored in step %d: %d %s", step, a.Status, a.Body)
		}
	}
}

// load asks and books on and on, until stop, which returns the answers that nobody should get.
func (f *fleet) load(t *testing.T, now func(int) string) (stop func() []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan []string, 1)
	go func() {
		var odd []string
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ctx.Err() == nil; i++ {
			path, body := "/oc/wf-peer/check", `{"duration_s":60}`
			if i%2 == 1 {
				path, body = "/oc/wf-peer/holds", fmt.Sprintf(`{"start":%q,"duration_s":60,"ttl_s":1}`, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
			}
			a := fleettest.Send(ctx, http.MethodPost, now(i)+path, strings.NewReader(body))
			switch a.Status {
			case http.StatusOK, http.StatusCreated, http.StatusConflict, http.StatusServiceUnavailable:
			case 0: // a replica that has just ended; a balancer tries another one
			default:
				if ctx.Err() == nil {
					odd = append(odd, fmt.Sprintf("%s: %d %s", path, a.Status, a.Body))
				}
			}
			<-tick.C
		}
		ended <- odd
	}()
	var all []string
	done := false
	stop = func() []string {
		if cancel(); !done {
			all, done = <-ended, true
		}
		return all
	}
	t.Cleanup(func() { _ = stop() })
	return stop
}

func reopensAndBack(t *testing.T, older fleettest.Program) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	var want string
	for step, p := range []fleettest.Program{older, itself(), older, itself()} {
		r := p.Start(t, "--nats-listen", "off", "--drain-grace", "0s", "--data-dir", dir)
		got := string(fleettest.Get(t.Context(), r.URL+"/oc").Body)
		if step > 0 && got != want {
			t.Errorf("step %d: %s, and before %s", step, got, want)
		}
		doc := strings.NewReader(fleettest.Workflow(fmt.Sprint("wf-", step), "peer"))
		if a := fleettest.Send(t.Context(), http.MethodPut, r.URL+fmt.Sprint("/oc/wf-", step), doc); a.Status != http.StatusCreated {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		eventually(t, "it is listed", func() bool {
			want = string(fleettest.Get(t.Context(), r.URL+"/oc").Body)
			return strings.Contains(want, fmt.Sprint("wf-", step))
		})
		end(t, r)
	}
}
