package natstest_test

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

func TestARestartKeepsPortConnectionAndStore(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	nc := s.Connect(t)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "s.1", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	url := s.URL()
	s.Stop()
	natstest.Eventually(t, "the client notices", func() bool { return nc.Status() == nats.RECONNECTING })
	s.Restart(t)
	natstest.Eventually(t, "the client is back", nc.IsConnected)
	if s.URL() != url {
		t.Errorf("URL = %s, was %s", s.URL(), url)
	}
	stream, err := js.Stream(t.Context(), "S")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := stream.GetMsg(t.Context(), 1); err != nil || string(m.Data) != "kept" {
		t.Errorf("message 1 = %v, %v", m, err)
	}
}
