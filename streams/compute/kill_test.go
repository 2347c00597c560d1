package compute_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

const (
	nodeVariable   = "COMPUTE_TEST_NODE"
	ledgerVariable = "COMPUTE_TEST_LEDGER"
)

// beNode stores one event after the other, and says which are stored, until it is killed.
func beNode(url, ledger string) error {
	store, err := watcher.OpenBolt(ledger)
	if err != nil {
		return err
	}
	w := &worker{}
	cm, err := compute.NewConnectionManager(compute.Config{
		NodeID: "n1", ClientFactory: nclprotocol.Client{URL: url, NodeID: "n1"}, NodeInfoProvider: w,
		MessageRegistry: registry(), DataPlaneMessageHandler: w, DataPlaneMessageCreator: w,
		EventStore: store, LogStreamServer: noLogs{},
		ReconnectInterval: 20 * time.Millisecond, ReconnectBackoff: backoff.NewConstantBackOff(50 * time.Millisecond),
	})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := cm.Start(ctx); err != nil {
		return err
	}
	n, err := store.GetLatestEventNum(ctx)
	for err == nil {
		var e watcher.Event
		e, err = store.StoreEvent(ctx, watcher.StoreEventRequest{
			Operation: watcher.OperationCreate, ObjectType: "happening", Object: happening{int(n + 1)},
		})
		n = e.SeqNum
		fmt.Println("stored", n)
	}
	return err
}

// liveAndDie runs a node until it has stored so many events more, kills it, and returns the last one
// that it said was stored.
func liveAndDie(t *testing.T, url, ledger string, more int) (last int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), nodeVariable+"="+url, ledgerVariable+"="+ledger)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		number, ours := strings.CutPrefix(lines.Text(), "stored ")
		if !ours {
			continue
		}
		if last, err = strconv.Atoi(number); err != nil {
			t.Fatal(err)
		}
		if more--; more == 0 {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	if more > 0 {
		t.Fatal("the node died by itself")
	}
	return last
}

func TestNodeKilled(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	m, ledger, last := &memory{}, filepath.Join(t.TempDir(), "ledger"), 0
	startOrchestrator(t, s, "n1", m, nil)
	for range 3 {
		last = liveAndDie(t, s.URL(), ledger, 100+rand.IntN(100))
	}
	store := openLedger(t, ledger)
	newest, err := store.GetLatestEventNum(t.Context())
	if err != nil || newest < uint64(last) {
		t.Fatalf("%d is the newest event, %d was stored: %v", newest, last, err)
	}
	cm := start(t, configure(t, s.URL(), "n1", &worker{}, store))
	handled(t, m, int(newest))
	stop(t, cm)
}
