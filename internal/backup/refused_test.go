package backup_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/backup"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

// rewritten is a file with one word in place of another one of as many letters, and its sums as they were.
func rewritten(file []byte, old, new string) []byte {
	return bytes.Replace(file, []byte(old), []byte(new), 1)
}

// repacked is a file of some entries.
func repacked(t *testing.T, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: entries[i], Mode: 0o600, Size: int64(len(entries[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, entries[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestABrokenFileChangesNothing holds that a file that was cut off anywhere, changed anywhere, or is no backup, is refused
// before anything is written.
func TestABrokenFileChangesNothing(t *testing.T) {
	t.Parallel()
	from := natstest.Start(t).JetStream(t)
	furnish(t, from, 1)
	put(t, from, "$KV.workflows.w", "w")
	file := write(t, from)
	to := natstest.Start(t).JetStream(t)
	refused := func(what string, file []byte, words string) {
		t.Helper()
		if err := restore(t.Context(), to, file, backup.Options{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", what, err)
		}
		for name := range to.StreamNames(t.Context()).Name() {
			t.Fatalf("%s: stream %s was made", what, name)
		}
	}
	const broken, foreign = "damaged or was cut off", "no backup of oc-scheduler"
	for cut := 2048; cut < len(file)-1024; cut += 1500 { // tar's own end may be lacking
		refused("cut off", file[:cut], broken)
	}
	for at := 700; at < len(file)-2048; at += 2111 {
		changed := bytes.Clone(file)
		changed[at] ^= 0x10
		if err := restore(t.Context(), to, changed, backup.Options{}); err == nil {
			if head := bytes.Equal(changed[:at/512*512], file[:at/512*512]); !head {
				t.Errorf("changed at %d: taken", at)
			}
			return // in what tar pads with
		}
	}
	refused("nothing", nil, foreign)
	refused("text", []byte(strings.Repeat("hello ", 1000)), foreign)
	refused("another archive", repacked(t, "a.txt", "hello"), foreign)
	refused("a head alone", repacked(t, "oc-scheduler-backup.json", `{"format":1}`), broken)
	refused("a newer format", repacked(t, "oc-scheduler-backup.json", `{"format":2,"version":"v9"}`), "by oc-scheduler v9; this one reads up to 1")
	refused("another name", rewritten(file, "KV_workflows/backup.json", "KV_workfloWs/backup.json"), broken)
}

// TestWhereItIsNotRestored holds that living replicas, and what stands, are not overwritten.
func TestWhereItIsNotRestored(t *testing.T) {
	t.Parallel()
	from, to := natstest.Start(t).JetStream(t), natstest.Start(t).JetStream(t)
	furnish(t, from, 1)
	put(t, from, "$KV.workflows.w", "w")
	file := write(t, from)
	furnish(t, to, 1)
	put(t, to, "$KV.workflows.other", "w")
	put(t, to, "$KV.interest.p", "[]")
	refused := func(o backup.Options, words string) {
		t.Helper()
		if err := restore(t.Context(), to, file, o); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
		if !stands(to, "KV_workflows", "$KV.workflows.other")() {
			t.Fatal("it was removed")
		}
	}
	lease := put(t, to, "$KV.replicas.r-1", "{}")
	refused(backup.Options{Replace: true}, "replicas live (r-1): stop them all first")
	if lease == 0 {
		t.Fatal("no lease")
	}
	refused(backup.Options{}, "KV_workflows")
	refused(backup.Options{Copies: 3, Replace: true}, "--js-replicas: 3 needs a NATS cluster")
	put(t, to, "$KV.replicas.r-1", `{"draining":true}`)
	var waited []string
	err := restore(t.Context(), to, file, backup.Options{Replace: true, Waits: func(replicas []string) {
		waited = replicas
		put(t, to, "$KV.replicas.r-1", "", "KV-Operation", "DEL")
	}})
	if !slices.Equal(waited, []string{"r-1"}) {
		t.Errorf("waited for %v", waited)
	}
	if err != nil {
		t.Fatal(err)
	}
	if stands(to, "KV_workflows", "$KV.workflows.other")() || !stands(to, "KV_workflows", "$KV.workflows.w")() {
		t.Error("it stands beside what was restored")
	}
	if _, err := to.Stream(t.Context(), "KV_interest"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("what is left out stands as it was: %v", err)
	}
}

// TestANewerLayoutIsRefused in the words of a start on it.
func TestANewerLayoutIsRefused(t *testing.T) {
	t.Parallel()
	from, to := natstest.Start(t).JetStream(t), natstest.Start(t).JetStream(t)
	furnish(t, from, 1)
	stream, err := from.Stream(t.Context(), "KV_plan")
	if err != nil {
		t.Fatal(err)
	}
	newer := stream.CachedInfo().Config
	newer.Metadata = jet.Version{Layout: 99}.Mark(newer.Metadata)
	if _, err := from.UpdateStream(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	err = restore(t.Context(), to, write(t, from), backup.Options{})
	if err == nil || !strings.Contains(err.Error(), "KV_plan has layout 99") || stands(to, "OC_BUS", ">")() {
		t.Error(err)
	}
}

// TestAFileIsThereAsAWhole, or not at all.
func TestAFileIsThereAsAWhole(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "b")
	if err := backup.CreateFile(name, func(w io.Writer) error { return io.ErrClosedPipe }); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	left, err := filepath.Glob(name + "*")
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	for _, want := range []bool{true, false} {
		err := backup.CreateFile(name, func(w io.Writer) error { _, err := io.WriteString(w, "x"); return err })
		if (err == nil) != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
