package ncl_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

// asking requests notes from a responder.
type asking struct{ ncl.Publisher }

func (a asking) ask(ctx context.Context, n int) error {
	m, err := a.Request(ctx, ncl.PublishRequest{Subject: "ctrl.a", Message: note(n)})
	if err == nil && m.Payload.(*Note).N != n {
		return errors.New("the answer to another request")
	}
	return err
}

func asker(t *testing.T, srv *natstest.Server) asking {
	t.Helper()
	return asking{ncl.NewPublisher(srv.Connect(t), codec())}
}

func refusal(err error) string {
	if refused, ok := errors.AsType[*ncl.RefusedError](err); ok {
		return refused.Reason
	}
	return ""
}

// TestReplicasShareRequests: each is handled once, and replicas that come and go take none with them.
func TestReplicasShareRequests(t *testing.T) {
	t.Parallel()
	const callers, each = 20, 200
	srv := natstest.Start(t)
	counts := make([]atomic.Int64, 3)
	join := func(i int) *ncl.Responder {
		return responder(t, srv, func(c *ncl.ResponderConfig) {
			c.Handler = ncl.ByType{"Note": ncl.RequestFunc(func(ctx context.Context, subject string, m *envelope.Message) (*envelope.Message, error) {
				counts[i].Add(1)
				return echo(ctx, subject, m)
			})}
		})
	}
	join(0)
	join(1)
	guest := join(2)
	a := asker(t, srv)
	var asked sync.WaitGroup
	for caller := range callers {
		asked.Go(func() {
			for n := range each {
				if err := a.ask(patient(t), each*caller+n); err != nil {
					t.Errorf("request %d of %d: %v", n, caller, err)
					return
				}
			}
		})
	}
	natstest.Eventually(t, "the third one is asked, too", func() bool { return counts[2].Load() > 0 })
	for range 20 {
		if err := guest.Close(patient(t)); err != nil {
			t.Error(err)
		}
		guest = join(2)
	}
	asked.Wait()
	sum := int64(0)
	for i := range counts {
		if counts[i].Load() == 0 {
			t.Errorf("replica %d did nothing", i)
		}
		sum += counts[i].Load()
	}
	if sum != callers*each {
		t.Errorf("%d requests were handled", sum)
	}
}

// stuck is a handler that waits.
type stuck struct {
	entered chan context.Context
	leave   chan struct{}
}

func (s stuck) HandleRequest(ctx context.Context, _ string, m *envelope.Message) (*envelope.Message, error) {
	s.entered <- ctx
	select {
	case <-s.leave:
		return &envelope.Message{Payload: m.Payload}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestTooLargeRequestsAreRefused while others are at hand; alone, each is let in.
func TestTooLargeRequestsAreRefused(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := stuck{make(chan context.Context, 10), make(chan struct{})}
	responder(t, srv, func(c *ncl.ResponderConfig) {
		c.Handler, c.MaxBytes, c.Timeout = s, 1, time.Minute
	})
	a := asker(t, srv)
	first := make(chan error, 1)
	go func() { first <- a.ask(patient(t), 1) }()
	<-s.entered
	if reason := refusal(a.ask(patient(t), 2)); reason != "busy" {
		t.Errorf("refused: %q", reason)
	}
	close(s.leave)
	if err := <-first; err != nil {
		t.Error(err)
	}
	natstest.Eventually(t, "the next one is let in", func() bool { return a.ask(patient(t), 3) == nil })
}

func TestTooManyRequestsAreRefused(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := stuck{make(chan context.Context, 10), make(chan struct{})}
	responder(t, srv, func(c *ncl.ResponderConfig) {
		c.Handler, c.MaxConcurrent, c.MaxWaiting, c.Timeout = s, 1, 1, time.Minute
	})
	a := asker(t, srv)
	results := make(chan error, 10)
	for n := range cap(results) {
		go func() { results <- a.ask(patient(t), n) }()
	}
	for range cap(results) - 2 {
		if reason := refusal(<-results); reason != "busy" {
			t.Errorf("refused: %q", reason)
		}
	}
	<-s.entered
	if len(s.entered) != 0 {
		t.Errorf("%d are handled at once", 1+len(s.entered))
	}
	close(s.leave)
	for range 2 {
		if err := <-results; err != nil {
			t.Errorf("let in: %v", err)
		}
	}
}

// TestAnswersGoToInboxesOnly: a request must not make its responder publish elsewhere, for that may do more
// than who asks, up to deleting a stream by an empty message.
func TestAnswersGoToInboxesOnly(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	r := responder(t, srv)
	js := srv.JetStream(t)
	withStream(t, js)
	frame, err := codec().Encode(note(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{nil, frame} {
		for _, reply := range []string{"notes", "$JS.API.STREAM.DELETE.NOTES", "_INBOXES.a"} {
			if err := js.Conn().PublishRequest("ctrl.a", reply, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	inbox := js.Conn().NewInbox()
	answers, err := js.Conn().SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.Conn().PublishRequest("ctrl.a", inbox, frame); err != nil {
		t.Fatal(err)
	}
	if _, err := answers.NextMsgWithContext(patient(t)); err != nil {
		t.Error(err)
	}
	if err := errors.Join(r.Close(patient(t)), r.Conn.Flush()); err != nil { // all were answered that will be
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "NOTES")
	if err != nil {
		t.Fatal(err)
	}
	if n := stream.CachedInfo().State.Msgs; n != 0 {
		t.Errorf("%d answers are in the stream", n)
	}
}

// TestHandlersKnowTheirTime: who hands out turns may refuse at once what would come too late.
func TestHandlersKnowTheirTime(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := stuck{make(chan context.Context, 1), make(chan struct{})}
	clock := clockwork.NewFakeClock()
	responder(t, srv, func(c *ncl.ResponderConfig) { c.Handler, c.Clock, c.Timeout = s, clock, time.Minute })
	result := make(chan error, 1)
	go func() { result <- asker(t, srv).ask(patient(t), 1) }()
	deadline, bounded := (<-s.entered).Deadline()
	if want := clock.Now().Add(time.Minute); !bounded || !deadline.Equal(want) {
		t.Errorf("Deadline = %v, %v, want %v", deadline, bounded, want)
	}
	close(s.leave)
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// TestLateRequestsAreRefused, be it that they are handled too slowly or that their turn does not come.
func TestLateRequestsAreRefused(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	clock := clockwork.NewFakeClock()
	s := stuck{entered: make(chan context.Context, 10)}
	responder(t, srv, func(c *ncl.ResponderConfig) { c.Handler, c.MaxConcurrent, c.Clock = s, 1, clock })
	a := asker(t, srv)
	results := make(chan error, 2)
	go func() { results <- a.ask(patient(t), 1) }()
	<-s.entered
	go func() { results <- a.ask(patient(t), 2) }()
	if err := clock.BlockUntilContext(patient(t), 2); err != nil { // both have come
		t.Fatal(err)
	}
	clock.Advance(ncl.DefaultHandlerTimeout)
	for range cap(results) {
		if reason := refusal(<-results); reason != "busy" && reason != "took too long" {
			t.Errorf("refused: %q", reason)
		}
	}
}

func TestFaultyConfigurations(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err    error
		faults int
	}{
		"responder":  {ncl.ResponderConfig{MaxConcurrent: -1, MaxWaiting: -1, MaxBytes: -1, Timeout: -1}.Validate(), 9},
		"subscriber": {ncl.SubscriberConfig{}.Validate(), 7},
		"publisher":  {ncl.OrderedPublisherConfig{MaxPending: -1, AckTimeout: -1}.Validate(), 4},
	} {
		if tc.err == nil || strings.Count(tc.err.Error(), "\n")+1 != tc.faults {
			t.Errorf("%s: %v", name, tc.err)
		}
	}
	if _, err := ncl.NewResponder(ncl.ResponderConfig{}); err == nil {
		t.Error("a responder without anything")
	}
	if _, err := ncl.NewSubscriber(ncl.SubscriberConfig{}); err == nil {
		t.Error("a subscriber without anything")
	}
	if _, err := ncl.NewOrderedPublisher(nil, ncl.OrderedPublisherConfig{}); err == nil {
		t.Error("a publisher without anything")
	}
}
