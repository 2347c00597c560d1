package nclprotocol_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/nclprotocol"
)

func TestClient(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	nc, err := nclprotocol.Client{URL: s.URL(), NodeID: "a.b"}.CreateClient(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if inbox := nc.NewInbox(); !strings.HasPrefix(inbox, "_INBOX.a=2Eb.") {
		t.Errorf("inbox %s", inbox)
	}
	s.Stop()
	natstest.Eventually(t, "a lost connection is closed", nc.IsClosed)
}

// The context of the attempt is of no account for the connection.
func TestClientOutlivesItsContext(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	ctx, cancel := context.WithCancel(t.Context())
	nc, err := nclprotocol.Client{URL: s.URL(), NodeID: "n1"}.CreateClient(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	cancel()
	if err := nc.Flush(); err != nil {
		t.Error(err)
	}
}

func TestClientGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	hole := natstest.StartProxy(t, natstest.Start(t).Addr())
	hole.Hold() // a server that does not even greet
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		nc, err := nclprotocol.Client{URL: hole.URL(), NodeID: "n1"}.CreateClient(ctx)
		if nc != nil {
			nc.Close()
		}
		result <- err
	}()
	natstest.Eventually(t, "it connects", func() bool { return hole.Links() > 0 })
	cancel()
	select {
	case err := <-result:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it does not give up")
	}
	if _, err := (nclprotocol.Client{URL: hole.URL(), NodeID: "n1"}).CreateClient(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestClientFindsNobody(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	s.Stop()
	if nc, err := (nclprotocol.Client{URL: s.URL(), NodeID: "n1"}).CreateClient(t.Context()); err == nil {
		nc.Close()
		t.Error("connected to a server that does not run")
	}
}
