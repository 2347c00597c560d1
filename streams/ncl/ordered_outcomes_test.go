package ncl_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/ncl"
)

// script is a stream whose outcomes come when and as the test wants.
type script struct {
	t   *testing.T
	sub *nats.Subscription
}

func scripted(t *testing.T, nc *nats.Conn) script {
	t.Helper()
	sub, err := nc.SubscribeSync("notes")
	if err != nil {
		t.Fatal(err)
	}
	return script{t, sub}
}

// next is the reply subject of the next message.
func (s script) next() string {
	s.t.Helper()
	m, err := s.sub.NextMsgWithContext(patient(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	return m.Reply
}

// ok tells a sender where its message is stored.
func (s script) ok(nc *nats.Conn, reply string, sequence int) {
	s.t.Helper()
	s.say(nc, reply, fmt.Sprintf(`{"stream":"NOTES","seq":%d}`, sequence))
}

func (s script) say(nc *nats.Conn, reply, word string) {
	s.t.Helper()
	if err := errors.Join(nc.Publish(reply, []byte(word)), nc.Flush()); err != nil {
		s.t.Fatal(err)
	}
}

func TestAnOutcomeWaitsForThoseBefore(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	nc := js.Conn()
	s, p := scripted(t, nc), orderedPublisher(t, js)
	first, second, third := send(t, p, 1), send(t, p, 2), send(t, p, 3)
	one, two, three := s.next(), s.next(), s.next()
	s.ok(nc, three, 13)
	s.ok(nc, two, 12)
	s.ok(nc, one+"x", 99) // of nobody
	s.say(nc, one[:len(one)-1]+"!", "rubbish")
	s.ok(nc, one, 11)
	for i, f := range []ncl.PubFuture{first, second, third} {
		if err := outcome(t, f); err != nil || f.StreamSequence() != uint64(11+i) {
			t.Errorf("future %d: %v, sequence %d", i, err, f.StreamSequence())
		}
	}
	fourth, fifth := send(t, p, 4), send(t, p, 5)
	four, five := s.next(), s.next()
	s.ok(nc, five, 15)
	s.say(nc, four, "rubbish")
	if err := outcome(t, fourth); !errors.Is(err, jetstream.ErrInvalidJSAck) {
		t.Errorf("rubbish: %v", err)
	}
	if err := outcome(t, fifth); !errors.Is(err, ncl.ErrBroken) || !errors.Is(err, jetstream.ErrInvalidJSAck) {
		t.Errorf("stored after a failure: %v", err)
	}
}

func TestOutcomesOfBeforeAResetAreIgnored(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	nc := js.Conn()
	s, p := scripted(t, nc), orderedPublisher(t, js)
	old := send(t, p, 1)
	before := s.next()
	p.Reset(patient(t))
	if err := outcome(t, old); !errors.Is(err, ncl.ErrReset) {
		t.Errorf("before: %v", err)
	}
	anew := send(t, p, 2)
	after := s.next()
	s.ok(nc, before, 1)
	s.say(nc, before, "rubbish")
	s.ok(nc, after, 2)
	if err := outcome(t, anew); err != nil || anew.StreamSequence() != 2 {
		t.Errorf("after: %v, sequence %d", err, anew.StreamSequence())
	}
}
