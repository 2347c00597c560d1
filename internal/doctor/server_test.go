package doctor_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/doctor"
)

func TestServerSettings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*server.Options)
		level  doctor.Level
		check  string
		what   []string
	}{
		"no JetStream":         {func(o *server.Options) { o.JetStream = false }, doctor.Fail, "jetstream", []string{"not enabled on the server"}},
		"default max_payload":  {func(o *server.Options) { o.MaxPayload = 1 << 20 }, doctor.Fail, "nats", []string{"max_payload is 1048576 bytes"}},
		"8 MiB max_payload":    {func(o *server.Options) { o.MaxPayload = 8 << 20 }, doctor.Warn, "nats", []string{"max_payload is 8388608 bytes", "dead letters"}},
		"no sync":              {func(o *server.Options) { o.SyncAlways = false }, doctor.Warn, "fsync", []string{"reach the disk every 2m0s"}},
		"sync now and then":    {func(o *server.Options) { o.SyncAlways, o.SyncInterval = false, time.Second }, doctor.Warn, "fsync", []string{"every 1s"}},
		"monitored, no stream": {func(o *server.Options) { o.JetStream = false }, doctor.Fail, "fsync", []string{"JetStream is not enabled"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newServer(t, tc.change)
			want(t, doctor.Run(t.Context(), w.cfg), tc.level, tc.check, tc.what...)
		})
	}
}

func TestTheDiskFillsUp(t *testing.T) {
	t.Parallel()
	w := newServer(t, func(o *server.Options) { o.JetStreamMaxStore = 1 << 20 })
	if _, err := w.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.js.Publish(t.Context(), "s", make([]byte, 900<<10)); err != nil {
		t.Fatal(err)
	}
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Warn, "fsync", "natstest: max_file_store: 88 %")
	if _, err := w.js.Publish(t.Context(), "s", make([]byte, 110<<10)); err != nil {
		t.Fatal(err)
	}
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Fail, "fsync", "max_file_store: 99 %")
}

func TestClocks(t *testing.T) {
	t.Parallel()
	w := admit(t)
	for by, tc := range map[time.Duration]struct {
		level doctor.Level
		what  string
	}{
		0:                {doctor.OK, "this machine's"},
		10 * time.Second: {doctor.Warn, "s behind this machine's"},
		-time.Minute:     {doctor.Fail, "s ahead of this machine's"},
	} {
		w.cfg.Now = func() time.Time { return time.Now().Add(by) }
		want(t, doctor.Run(t.Context(), w.cfg), tc.level, "clock", "NATS server natstest", tc.what)
	}
}
