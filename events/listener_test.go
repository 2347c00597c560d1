package events_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

func TestAcceptedEvents(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var h recorder
	listen(t, s, &h)
	before := time.Now().Add(-time.Minute)
	seq := publish(t, js, events.Propagation, plannerEvent(t, "pb_Planner", `{"peer_id":"p"}`))
	h.await(t, 1)
	publish(t, js, events.Propagation, []byte(`{"unknown":[1],"from_app":"oc-discovery","datatype":7,"groups":null,"payload":{"datatype":[],"action":"PB_PLANNER","payload":{"peer_id":"q"}}}`))
	h.await(t, 2)
	publish(t, js, events.CreateResource, envelope(t, "anybody", "Workflow", `{"id":"w"}`))
	h.await(t, 3)
	publish(t, js, events.RemoveResource, envelope(t, "", "WORKFLOW", `{"name":"n","id":"w"}`))
	want := []call{{what: "planner", payload: `{"peer_id":"p"}`}, {what: "planner", payload: `{"peer_id":"q"}`}, {what: "created", payload: `{"id":"w"}`}, {what: "removed", payload: "w"}}
	got := h.await(t, 4)
	for i, c := range got {
		if c.what != want[i].what || c.payload != want[i].payload {
			t.Errorf("call %d = %+v, want %+v", i, c, want[i])
		}
		if c.arrival.Seq != seq+uint64(i) || c.arrival.Time.Before(before) || c.arrival.Bus.Before(before) || c.arrival.Bus.After(c.arrival.Time) {
			t.Errorf("arrival %d = %+v", i, c.arrival)
		}
	}
	settled(t, js)
}

func TestSkippedSilently(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var h recorder
	listen(t, s, &h)
	publish(t, js, events.Propagation, envelope(t, "oc-scheduler", "", `{"action":"PB_PLANNER","payload":{"peer_id":"p"}}`))
	publish(t, js, events.Propagation, envelope(t, "OC-DISCOVERY", "", `null`))
	publish(t, js, events.Propagation, plannerEvent(t, "PB_CLOSE_PLANNER", `{"peer_id":"p"}`))
	publish(t, js, events.Propagation, plannerEvent(t, "PB_SEARCH", `no JSON`))
	publish(t, js, events.CreateResource, envelope(t, "a", "COMPUTE", `no JSON`))
	publish(t, js, events.CreateResource, []byte(`{}`))
	publish(t, js, events.RemoveResource, []byte(`{"datatype":12,"payload":"****"}`))
	settled(t, js)
	if calls, dead := h.seen(), letters(t, js); len(calls) != 0 || len(dead) != 0 {
		t.Errorf("calls %v, dead letters %v", calls, dead)
	}
}

// bad are messages that nobody can use, by subject.
func bad(t *testing.T) []*nats.Msg {
	t.Helper()
	list := []*nats.Msg{
		{Subject: events.CreateResource},
		{Subject: events.CreateResource, Data: []byte("null")},
		{Subject: events.CreateResource, Data: []byte("[]")},
		{Subject: events.CreateResource, Data: []byte(`{"from_app":5}`)},
		{Subject: events.CreateResource, Data: []byte(`{"datatype":"WORKFLOW"}`)},
		{Subject: events.CreateResource, Data: []byte(`{"datatype":"WORKFLOW","payload":null}`)},
		{Subject: events.CreateResource, Data: []byte(`{"datatype":"WORKFLOW","payload":"!"}`)},
		{Subject: events.CreateResource, Data: []byte(`{"datatype":"WORKFLOW","payload":{"id":"w"}} {}`)},
		{Subject: events.CreateResource, Data: []byte(`{"datatype":"WORKFLOW","datatype":"WORKFLOW"}`)},
		{Subject: events.CreateResource, Data: envelope(t, "", "WORKFLOW", `null`)},
		{Subject: events.CreateResource, Data: envelope(t, "", "WORKFLOW", `{"name":`)},
		{Subject: events.RemoveResource, Data: envelope(t, "", "WORKFLOW", `{}`)},
		{Subject: events.RemoveResource, Data: envelope(t, "", "WORKFLOW", `{"id":7}`)},
		{Subject: events.RemoveResource, Data: envelope(t, "", "WORKFLOW", `{"id":"a\u0000"}`)},
		{Subject: events.RemoveResource, Data: envelope(t, "", "WORKFLOW", `{"id":"w"`)},
		{Subject: events.Propagation, Data: envelope(t, "oc-discovery", "", `null`)},
		{Subject: events.Propagation, Data: envelope(t, "oc-discovery", "", `{"action":7}`)},
		{Subject: events.Propagation, Data: plannerEvent(t, "PB_PLANNER", `[]`)},
		{Subject: events.Propagation, Data: []byte("\xff\xfe\x00")},
		{Subject: events.Propagation, Data: []byte(strings.Repeat("[", 100_000))},
		{Subject: events.Propagation, Data: []byte(`{"x":` + strings.Repeat(`{"x":`, 100_000))},
	}
	// A client library reads these headers as words of the server.
	for _, status := range []string{"100", "404", "408", "409", "503", "junk"} {
		m := nats.NewMsg(events.Propagation)
		m.Header.Set("Status", status)
		m.Header.Set("Description", "Consumer Deleted")
		list = append(list, m)
	}
	return list
}

func TestBadMessagesAreKeptOnce(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var h recorder
	listen(t, s, &h)
	messages := bad(t)
	want := map[string]int{}
	for _, m := range messages {
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		want["oc.dead."+m.Subject+string(m.Data)]++
	}
	publish(t, js, events.CreateResource, envelope(t, "", "WORKFLOW", `{"id":"good"}`))
	settled(t, js)
	got := map[string]int{}
	for _, l := range letters(t, js) {
		got[l.Subject+string(l.Data)]++
		if r := l.Header.Get(events.HeaderReason); r != events.ReasonUndecodable && r != events.ReasonInvalidID || l.Header.Get(events.HeaderDetail) == "" {
			t.Errorf("headers of %q: %v", l.Data, l.Header)
		}
	}
	for letter, n := range want {
		if got[letter] != n {
			t.Errorf("%.200q kept %d times, want %d", letter, got[letter], n)
		}
	}
	if calls := h.seen(); len(calls) != 1 || len(letters(t, js)) != len(messages) {
		t.Errorf("%d letters, calls %v", len(letters(t, js)), calls)
	}
}

// notes panics when it is written to before it is made.
type notes map[string]int

func (n notes) write(key string) error {
	n[key]++
	return nil
}

func TestHandlersVerdicts(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var mu sync.Mutex
	attempts := map[string]int{}
	h := recorder{answer: func(_ context.Context, c call) error {
		mu.Lock()
		attempts[c.payload]++
		n := attempts[c.payload]
		mu.Unlock()
		switch c.payload {
		case "rejected":
			return fmt.Errorf("wrapped: %w", events.Reject(events.ReasonInvalidWorkflow, "line one\nline two\x1b[31m %s", strings.Repeat("é", 5000)))
		case "panics":
			return notes(nil).write("x")
		case "passing":
			if n < 3 {
				return errors.New("not now")
			}
		}
		return nil
	}}
	listen(t, s, &h)
	for _, id := range []string{"rejected", "panics", "passing"} {
		publish(t, js, events.RemoveResource, envelope(t, "", "WORKFLOW", fmt.Sprintf(`{"id":%q}`, id)))
	}
	settled(t, js)
	mu.Lock()
	defer mu.Unlock()
	if attempts["rejected"] != 1 || attempts["panics"] != 1 || attempts["passing"] != 3 {
		t.Errorf("attempts = %v", attempts)
	}
	reasons := map[string]string{}
	for _, l := range letters(t, js) {
		reasons[l.Header.Get(events.HeaderReason)] = l.Header.Get(events.HeaderDetail)
	}
	if d := reasons[events.ReasonInvalidWorkflow]; len(reasons) != 2 || !strings.HasPrefix(d, "line one line two [31m é") || len(d) > 1100 {
		t.Errorf("reasons = %v", reasons)
	}
	if d := reasons[events.ReasonPanic]; !strings.Contains(d, "nil map") {
		t.Errorf("detail of a panic = %q", d)
	}
}

func TestEventsWaitWhileNobodyListens(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	listen(t, s, &recorder{})()
	publish(t, js, events.CreateResource, envelope(t, "", "WORKFLOW", `{"id":"w"}`))
	var h recorder
	listen(t, s, &h)
	h.await(t, 1)
}

func TestOrderWithinOnePeer(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := s.JetStream(t)
	var h recorder
	listen(t, s, &h)
	const peers, each = 20, 30
	for i := range each {
		for p := range peers {
			data := plannerEvent(t, "PB_PLANNER", fmt.Sprintf(`{"n":%d,"peer_id":"p%d"}`, i, p))
			if _, err := js.PublishAsync(events.Propagation, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	next := map[string]int{}
	for _, c := range h.await(t, peers*each) {
		var p struct {
			N    int    `json:"n"`
			Peer string `json:"peer_id"`
		}
		if err := json.Unmarshal([]byte(c.payload), &p); err != nil {
			t.Fatal(err)
		}
		if p.N != next[p.Peer] {
			t.Fatalf("%s: %d came, want %d", p.Peer, p.N, next[p.Peer])
		}
		next[p.Peer]++
	}
}
