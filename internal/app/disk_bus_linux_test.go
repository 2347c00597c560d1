package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// TestABusThatTakesNothing holds that a replica tells of a bus that its NATS server has shut, though it
// answers and all else is stored; that it finds out without a word on the bus; and that it needs nobody when
// the server has been mended.
func TestABusThatTakesNothing(t *testing.T) {
	dir, here := natstest.SmallDisk(t, diskSize)
	if !here {
		return
	}
	srv := natstest.Start(t, func(o *server.Options) { o.StoreDir, o.JetStreamMaxStore = dir, 1<<40 })
	r := start(t, on(srv))
	r.awaitReady(t)
	nc := srv.Connect(t)
	heard := make(chan *nats.Msg, 1024)
	for _, subject := range []string{events.Propagation, events.CreateResource, events.RemoveResource} {
		if _, err := nc.ChanSubscribe(subject, heard); err != nil {
			t.Fatal(err)
		}
	}
	said := shutBus(t, nc, dir)
	r.notReadyFor(t, "streams: OC_BUS: ", "no space left on device", "restart the server")
	if _, body := r.status(t, "/readyz"); strings.Contains(body, "bucket") {
		t.Errorf("not the bus alone: %s", body)
	}
	if err := nc.Flush(); err != nil || len(heard) != said {
		t.Errorf("%d events were said and %d heard: %v", said, len(heard), err)
	}
	srv.Restart(t)
	until(t, "ready", func() bool { status, _ := r.status(t, "/readyz"); return status == http.StatusOK })
}

// shutBus fills the disk at dir until the server fails to store an event, which nobody is to handle, and
// gives the room back. It returns how many it has published.
func shutBus(t *testing.T, nc *nats.Conn, dir string) (said int) {
	t.Helper()
	event, err := events.Envelope{FromApp: "oc-storage", Datatype: "STORAGE", Payload: make([]byte, 50_000)}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	free := natstest.FillDisk(t, dir)
	defer free()
	for said < 500 {
		said++
		if _, err := nc.Request(events.CreateResource, event, time.Second); err != nil {
			return said
		}
	}
	t.Fatal("the full disk has taken all events")
	return 0
}
