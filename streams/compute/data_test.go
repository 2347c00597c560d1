package compute_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// A node without a ledger is of no use, and says so.
func TestLedgerCloses(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	store := watcher.NewMemoryStore()
	startOrchestrator(t, s, "n1", &memory{}, nil)
	c := configure(t, s.URL(), "n1", &worker{}, store)
	c.Checkpointer = &forgetful{}
	cm := start(t, c)
	connected(t, cm)
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the reason", func() bool {
		h := cm.GetHealth()
		return h.CurrentState == nclprotocol.Disconnected && errors.Is(h.LastError, watcher.ErrClosed)
	})
}

// oneLog has a single chunk of output.
type oneLog struct{ sent bool }

func (oneLog) OpenLog(_ context.Context, r logstream.Request) (logstream.Reader, error) {
	if r.ExecutionID != "e1" {
		return nil, logstream.ErrNotFound
	}
	return &oneLog{}, nil
}

func (l *oneLog) Next(context.Context) (logstream.Chunk, error) {
	if l.sent {
		return logstream.Chunk{}, io.EOF
	}
	l.sent = true
	return logstream.Chunk{Source: logstream.Stdout, Data: []byte("hello\n"), Offset: 6}, nil
}

func (*oneLog) Close() error { return nil }

func TestLogsOfANode(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	startOrchestrator(t, s, "n1", &memory{}, nil)
	c := configure(t, s.URL(), "n1", &worker{}, watcher.NewMemoryStore())
	c.LogStreamServer = oneLog{}
	connected(t, start(t, c))
	nc := s.Connect(t)
	if _, err := logstream.Open(t.Context(), nc, "n1", logstream.Request{ExecutionID: "e2"}); !errors.Is(err, logstream.ErrNotFound) {
		t.Errorf("unknown execution: %v", err)
	}
	r, err := logstream.Open(t.Context(), nc, "n1", logstream.Request{ExecutionID: "e1"})
	if err != nil {
		t.Fatal(err)
	}
	if chunk, err := r.Next(t.Context()); err != nil || string(chunk.Data) != "hello\n" {
		t.Errorf("%+v, %v", chunk, err)
	}
	if _, err := r.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
