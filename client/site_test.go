package client_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"oc-scheduler/client"
	"oc-scheduler/internal/app"
	"oc-scheduler/internal/natstest"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

// serve runs a replica with a NATS server of its own, until stop.
func serve() (url string, stop func()) {
	dir, err := os.MkdirTemp("", "client")
	if err != nil {
		panic(err)
	}
	replica, err := app.New(context.Background(), app.Config{
		Listen: "127.0.0.1:0", NATSListen: "off", DataDir: dir, JSReplicas: 1, PlannerTTL: time.Hour, MaxStreams: 10, MaxStreamsPerClient: 10,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- replica.Run(ctx) }()
	<-replica.Ready()
	return replica.URL(), func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		cancel()
		if err := errors.Join(<-ended, os.RemoveAll(dir)); err != nil {
			panic(err)
		}
	}
}

// of is a client of what a handler answers, one request at a time. After done nothing is answered any more.
func of(t *testing.T, h http.HandlerFunc) (c *client.Client, done func()) {
	t.Helper()
	var mu sync.Mutex // connections are goroutines of their own
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(server.Close)
	c, err := client.New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c, func() {
		server.Close()
		mu.Lock()
		defer mu.Unlock()
	}
}
