package app_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

func TestNATSWithoutJetStreamIsNamed(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t, func(o *server.Options) { o.JetStream = false })
	r := start(t, on(srv))
	natstest.Eventually(t, "/readyz says what is missing", func() bool {
		_, body := r.status(t, "/readyz?verbose")
		return strings.Contains(body, "JetStream is not enabled on this server or account")
	})
	if err := r.wait(t); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestALowPayloadIsToldOfOnce(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t, func(o *server.Options) { o.MaxPayload = 1 << 20 })
	var log bytes.Buffer // to be read after the end
	r := startLogging(t, on(srv), slog.NewTextHandler(&log, nil))
	r.awaitReady(t)
	if err := r.wait(t); err != nil {
		t.Errorf("ended with %v", err)
	}
	var lines []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "max_payload") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], "max_payload=1048576 needed=9437184") {
		t.Errorf("lines: %q", lines)
	}
}

// An operator who deletes the shared consumer has the whole bus delivered again. No planner whose
// life has ended comes back from that.
func TestABusReadAgainRevivesNothing(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	r := start(t, on(srv))
	r.awaitReady(t)
	js := srv.JetStream(t)
	bus := &bus{nc: js.Conn()}
	stored := func(peer string, status int) {
		t.Helper()
		until(t, fmt.Sprintf("%s is %d", peer, status), func() bool { got, _ := r.status(t, "/planners/"+peer); return got == status })
	}
	publish := func(peer string) {
		bus.planner(t, fmt.Sprintf(`{"peer_id":%q,"generated_at":%q,"capacities":{}}`, peer, time.Now().UTC().Format(time.RFC3339Nano)))
	}
	publish("ended")
	publish("lives")
	stored("ended", http.StatusOK)
	stored("lives", http.StatusOK)
	kv, err := js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "ended"); err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteConsumer(t.Context(), events.Stream, events.Durable); err != nil {
		t.Fatal(err)
	}
	until(t, "the bus is read again", func() bool {
		c, err := js.Consumer(t.Context(), events.Stream, events.Durable)
		if err != nil {
			return false
		}
		info := c.CachedInfo()
		return info.Delivered.Stream > 0 && info.NumPending == 0 && info.NumAckPending == 0
	})
	stored("lives", http.StatusOK)
	if status, body := r.status(t, "/planners/ended"); status != http.StatusNotFound {
		t.Errorf("%d %s", status, body)
	}
	publish("ended")
	stored("ended", http.StatusOK)
}
