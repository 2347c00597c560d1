package jet

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

// TestAShutStreamIsNamed holds that only the stream that takes nothing is, with the reason, while its server
// answers as before; and that it passes with a new start.
func TestAShutStreamIsNamed(t *testing.T) {
	dir, here := natstest.SmallDisk(t, 16<<20)
	if !here {
		return
	}
	srv := natstest.Start(t, func(o *server.Options) { o.StoreDir, o.JetStreamMaxStore = filepath.Join(dir, "js"), 1<<40 })
	js := srv.JetStream(t)
	stream := events(t, js.Conn(), jetstream.StreamConfig{}, 1)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHER"}); err != nil {
		t.Fatal(err)
	}
	free := natstest.FillDisk(t, dir)
	natstest.Eventually(t, "a write fails", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := js.Publish(ctx, "S.x", make([]byte, 50_000), jetstream.WithRetryAttempts(0))
		return err != nil
	})
	free()
	if _, err := stream.Info(t.Context()); err != nil {
		t.Errorf("the server does not answer as before: %v", err)
	}
	i := NewIntake(js, "S", "OTHER")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- i.Run(ctx) }()
	natstest.Eventually(t, "the stream is named", func() bool { return i.Err() != nil })
	if err := i.Err().Error(); !strings.HasPrefix(err, "S: ") || !strings.Contains(err, syscall.ENOSPC.Error()) || strings.Contains(err, "OTHER") {
		t.Error(err)
	}
	srv.Restart(t)
	natstest.Eventually(t, "it has passed", func() bool { return i.Err() == nil })
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
