package backup_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/backup"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/streams/orchestrator"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

func expected(copies int) []jet.Expected {
	return slices.Concat(store.Expect(copies), events.Expect(copies), orchestrator.Expect(copies), histories.Expect(copies))
}

// furnish makes all streams and shared durables, as the first replica does.
func furnish(t *testing.T, js jetstream.JetStream, copies int) {
	t.Helper()
	for _, x := range expected(copies) {
		if _, err := jet.EnsureStream(t.Context(), js, x.Stream); err != nil {
			t.Fatal(err)
		}
		for _, d := range x.Durables {
			if _, err := jet.EnsureConsumer(t.Context(), js, x.Stream.Name, d); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func put(t *testing.T, js jetstream.JetStream, subject, body string, header ...string) uint64 {
	t.Helper()
	m := nats.NewMsg(subject)
	m.Data = []byte(body)
	for i := 0; i < len(header); i += 2 {
		m.Header.Add(header[i], header[i+1])
	}
	ack, err := js.PublishMsg(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

func write(t *testing.T, js jetstream.JetStream) []byte {
	t.Helper()
	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), js, "v1", t.TempDir(), &file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func restore(ctx context.Context, js jetstream.JetStream, file []byte, o backup.Options) error {
	_, _, err := backup.Restore(ctx, js, bytes.NewReader(file), o)
	return err
}

// content is every message of a stream, as the leader has it.
func content(t *testing.T, js jetstream.JetStream, name string) map[uint64]*jetstream.RawStreamMsg {
	t.Helper()
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[uint64]*jetstream.RawStreamMsg{}
	state := stream.CachedInfo().State
	for seq := state.FirstSeq; seq > 0 && seq <= state.LastSeq; seq++ {
		if m, err := stream.GetMsg(t.Context(), seq); err == nil {
			all[seq] = m
		}
	}
	return all
}

func gone(js jetstream.JetStream, stream, subject string) func() bool {
	return func() bool {
		m, err := jet.Newest(context.Background(), js, stream, subject)
		return err != nil || m.Header.Get("Nats-Marker-Reason") != ""
	}
}

func stands(js jetstream.JetStream, stream, subject string) func() bool {
	return func() bool {
		_, err := jet.Newest(context.Background(), js, stream, subject)
		return err == nil
	}
}

func in(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339Nano) }
