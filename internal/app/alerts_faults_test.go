package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/httpapi"
	"oc-scheduler/internal/fleettest"
	"oc-scheduler/store"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

func (s *stricken) publish(t *testing.T, subject, text string) {
	t.Helper()
	if _, err := s.server.JetStream(t).Publish(t.Context(), subject, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func cutOff(_ *testing.T, s *stricken) { s.link.Cut() }

func flapping(t *testing.T, s *stricken) {
	t.Helper()
	s.link.Flap()
	until(t, "it is back", func() bool { status, _ := s.status(t, "/readyz"); return status == http.StatusOK })
}

func deadLetter(t *testing.T, s *stricken) {
	t.Helper()
	s.publish(t, events.CreateResource, "junk")
}

// deadNodeEvent is what a node says that was let in: others leave no dead letters.
func deadNodeEvent(t *testing.T, s *stricken) {
	t.Helper()
	silentNode(t, s)
	s.publish(t, nclprotocol.OutSubject("n1"), "junk")
}

func brokenValue(t *testing.T, s *stricken) {
	t.Helper()
	s.publish(t, "$KV.workflows.wf", "junk")
}

func (s *stricken) pause(t *testing.T, stream, consumer string) {
	t.Helper()
	if _, err := s.server.JetStream(t).PauseConsumer(t.Context(), stream, consumer, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

func pausedBus(t *testing.T, s *stricken) {
	t.Helper()
	s.pause(t, events.Stream, events.Durable)
	s.publish(t, events.CreateResource, "{}")
}

// pausedNodes stops the consumer of the replica's reader when that reads for all partitions.
func pausedNodes(t *testing.T, s *stricken) {
	t.Helper()
	var names []string
	until(t, "the reader's consumer", func() bool {
		stream, err := s.server.JetStream(t).Stream(t.Context(), nclprotocol.OutStream)
		if err != nil {
			t.Fatal(err)
		}
		names = nil
		for name := range stream.ConsumerNames(t.Context()).Name() {
			names = append(names, name)
		}
		return s.metric(t, "node_partitions") == 32 && len(names) == 1
	})
	s.pause(t, nclprotocol.OutStream, names[0])
	s.publish(t, nclprotocol.OutSubject("n1"), "junk")
}

// sealed has what an event is for refuse it.
func sealed(t *testing.T, s *stricken) {
	t.Helper()
	js := s.server.JetStream(t)
	stream, err := js.Stream(t.Context(), "KV_"+store.WorkflowsBucket)
	if err != nil {
		t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	cfg.Sealed = true
	if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	(&bus{nc: js.Conn()}).workflow(t, `{"id":"wf","graph":{"items":{}}}`)
}

// shakes has a node ask to be let in as one of a peer, until it is heard, and returns the answer.
func (s *stricken) shakes(t *testing.T, peer string) (answer *nclprotocol.HandshakeResponse) {
	t.Helper()
	registry := envelope.NewRegistry()
	if err := nclprotocol.RegisterControl(registry); err != nil {
		t.Fatal(err)
	}
	node := ncl.NewPublisher(s.server.Connect(t), envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry})
	until(t, "the node is answered", func() bool {
		got, err := node.Request(t.Context(), ncl.PublishRequest{Subject: nclprotocol.ControlSubject("n1"), Message: &envelope.Message{
			Header: envelope.Header{Source: "session", Sequence: 1, Time: time.Now()},
			Payload: nclprotocol.HandshakeRequest{
				Session: "session", Ledger: "ledger", HeartbeatInterval: nclprotocol.Seconds(time.Second), HeartbeatMissFactor: 1,
				NodeInfo: nclprotocol.NodeInfo{NodeID: "n1", PeerID: peer},
			},
		}})
		if err == nil {
			answer = got.Payload.(*nclprotocol.HandshakeResponse)
		}
		return err == nil
	})
	return answer
}

// silentNode has a node say once that it lives every second, and then no more.
func silentNode(t *testing.T, s *stricken) {
	t.Helper()
	until(t, "the node is let in", func() bool { return s.shakes(t, "peer-a").Accepted })
}

// movedNode says that it is another peer's than the one that it was let in for.
func movedNode(t *testing.T, s *stricken) {
	t.Helper()
	silentNode(t, s)
	if answer := s.shakes(t, "peer-b"); answer.Accepted {
		t.Errorf("%+v", answer)
	}
}

// foreignNode asks in a version that no replica speaks.
func foreignNode(t *testing.T, s *stricken) {
	t.Helper()
	node := s.server.Connect(t)
	until(t, "the node is answered", func() bool {
		answer, err := node.RequestWithContext(t.Context(), nclprotocol.ControlSubject("n1"), []byte{9, 1, 2, 3})
		return err == nil && strings.Contains(answer.Header.Get("Oc-Error"), "version 9")
	})
}

// slowLink holds the link while planners are stored, for longer than an answer may take.
func slowLink(t *testing.T, s *stricken) {
	t.Helper()
	doc := strings.NewReader(fleettest.Workflow("wf-p", "p"))
	if a := fleettest.Send(t.Context(), http.MethodPut, s.URL()+"/oc/wf-p", doc); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	fleettest.Open(t, fleettest.CheckPath("wf-p"), func(int) string { return s.URL() })
	js := s.server.JetStream(t)
	level := 0
	until(t, "a slow answer", func() bool {
		level++
		s.link.Hold()
		defer s.link.Pass()
		ack, err := js.Publish(t.Context(), "$KV.planners.p", fleettest.Planner("p", time.Now(), level), jetstream.WithMsgTTL(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		stream, err := js.Stream(t.Context(), "KV_"+store.PlannersBucket)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := stream.GetMsg(t.Context(), ack.Sequence)
		if err != nil {
			t.Fatal(err)
		}
		until(t, "it is late by the server's clock", func() bool {
			info, err := stream.Info(t.Context())
			return err == nil && info.TimeStamp.Sub(stored.Time) > 1100*time.Millisecond
		})
		s.link.Pass()
		return s.metric(t, "notify_latency_seconds") > 1
	})
}

// defect is ours: a part that serves and is not there.
func defect(t *testing.T, s *stricken) {
	t.Helper()
	s.Attach(httpapi.Parts{})
	if status, _ := s.status(t, "/planners"); status != http.StatusInternalServerError {
		t.Errorf("status %d", status)
	}
}

// overslept is a run that may not be late, while NATS is out of reach.
func overslept(t *testing.T, s *stricken) {
	t.Helper()
	doc := strings.NewReader(`{"id":"wf-late","graph":{"items":{"s":{"processing":{"duration_s":600}}}}}`)
	if a := fleettest.Send(t.Context(), http.MethodPut, s.URL()+"/oc/wf-late", doc); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	start := time.Now().Add(2 * time.Second)
	doc = strings.NewReader(`{"catch_up_s":0,"start":"` + start.UTC().Format(time.RFC3339Nano) + `"}`)
	if a := fleettest.Send(t.Context(), http.MethodPost, s.URL()+"/oc/wf-late/schedules", doc); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	s.link.Hold()
	defer s.link.Pass()
	until(t, "it is late", func() bool { return time.Since(start) > 2*time.Second })
}
