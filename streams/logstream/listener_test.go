package logstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// endless is a server whose output never ends; it tells when a reader was opened and when it was
// given up.
type endless struct{ opened, left chan struct{} }

func newEndless() endless {
	return endless{make(chan struct{}, 100), make(chan struct{}, 100)}
}

func (e endless) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	e.opened <- struct{}{}
	return e, nil
}

func (e endless) Next(ctx context.Context) (logstream.Chunk, error) {
	<-ctx.Done()
	return logstream.Chunk{}, ctx.Err()
}

func (e endless) Close() error {
	e.left <- struct{}{}
	return nil
}

func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("%s: did not come about", what)
	}
}

// TestALostReaderStopsTheProducer holds that a node gives up within 10 s who went without a word, and
// nobody who still speaks.
func TestALostReaderStopsTheProducer(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	server, clock := newEndless(), clockwork.NewFakeClock()
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: server, Clock: clock})
	nc := s.Connect(t)
	proxy := natstest.StartProxy(t, s.Addr())
	lost, err := nats.Connect(proxy.URL(), nats.NoReconnect())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lost.Close)
	_ = open(t, over(lost), logstream.Request{ExecutionID: "ex", Follow: true})
	await(t, "the reader is served", server.opened)
	proxy.Cut()
	natstest.Eventually(t, "the producer stops", func() bool {
		clock.Advance(time.Second)
		return len(server.left) > 0
	})

	silent, marker := newHandReader(t, nc, "silentreader"), newHandReader(t, nc, "marker00")
	silent.say(t, frame(t, "LogOpen", 0, `{"execution_id":"ex","follow":true,"allowed":1000}`))
	await(t, "the silent reader is served", server.opened)
	for range 3 { // what it says counts
		clock.Advance(7 * time.Second)
		silent.say(t, frame(t, "LogCredit", 0, `{"allowed":1000}`))
		marker.say(t, frame(t, "LogCredit", 0, `{}`))
		marker.hear(t, "LogEnd") // so the one before it was heard, too
	}
	if len(server.left) > 1 {
		t.Fatal("a reader that lives was given up")
	}
	clock.Advance(9 * time.Second)
	await(t, "the producer of the lost reader stops", server.left)
	await(t, "the producer of the silent reader stops", server.left)
}

// TestAClosedReaderStopsTheProducer holds that a node hears at once that a reader has ended.
func TestAClosedReaderStopsTheProducer(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	server := newEndless()
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: server, Clock: clockwork.NewFakeClock()})
	r := open(t, over(s.Connect(t)), logstream.Request{ExecutionID: "ex", Follow: true})
	await(t, "the reader is served", server.opened)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	await(t, "the producer stops", server.left)
	expectEnd(t, r, logstream.ErrClosed)
}

// TestASlowReaderHoldsUpNobody holds that who does not read is alone with that, and gets all of it
// when he does.
func TestASlowReaderHoldsUpNobody(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	slow := make(chan error, 1)
	reading := s.Connect(t, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		select {
		case slow <- err:
		default:
		}
	}))
	files := newFiles(t, logstream.FilesConfig{})
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: files})
	out := create(t, files, "ex")
	write(t, out.Stdout(), "begin\n")
	r := logstream.Request{ExecutionID: "ex", Follow: true}
	sleeper := open(t, over(reading), r)
	results := []func() (string, error){follow(t, over(reading), r), follow(t, over(s.Connect(t)), r)}
	var all strings.Builder
	all.WriteString("begin\n")
	for i := range 300 {
		text := fmt.Sprint(i, strings.Repeat(".", 10_000), "\n")
		write(t, out.Stdout(), text)
		all.WriteString(text)
	}
	for i := range 2000 { // many small ones, too
		text := fmt.Sprintln(i)
		write(t, out.Stderr(), text)
		all.WriteString(text)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		same(t, result, all.String())
	}
	if got := readAll(t, sleeper); got != all.String() {
		t.Errorf("the sleeper read %d bytes of %d", len(got), all.Len())
	}
	select {
	case err := <-slow:
		t.Errorf("the connection reports %v", err)
	default:
	}
}

func TestTooManyReaders(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	server := newEndless()
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: server, MaxStreams: 2})
	client := over(s.Connect(t))
	r := logstream.Request{ExecutionID: "ex"}
	first := open(t, client, r)
	_ = open(t, client, r)
	if _, err := client.OpenLog(t.Context(), r); !isRefused(err) {
		t.Fatalf("a third reader: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	await(t, "the first has gone", server.left)
	natstest.Eventually(t, "another one is served", func() bool {
		reader, err := client.OpenLog(t.Context(), r)
		if err == nil {
			err = reader.Close()
		}
		return err == nil
	})
}

func isRefused(err error) bool {
	_, refused := errors.AsType[*ncl.RefusedError](err)
	return refused
}

// failing is a server with faults.
type failing struct {
	open, next error
	chunk      logstream.Chunk
}

func (f failing) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	return f, f.open
}

func (f failing) Next(context.Context) (logstream.Chunk, error) { return f.chunk, f.next }
func (f failing) Close() error                                  { return nil }

func TestFaultsOfTheServerAreTold(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	for name, server := range map[string]failing{
		"open":   {open: errors.New("broken disk " + strings.Repeat("x", 1<<20))},
		"read":   {next: errors.New("broken disk")},
		"offset": {chunk: logstream.Chunk{Source: logstream.Stdout, Data: []byte("abc"), Offset: 2}},
	} {
		l, err := logstream.NewListener(logstream.ListenerConfig{Conn: s.Connect(t), NodeID: name, Server: server})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		reader, err := logstream.Open(t.Context(), s.Connect(t), name, logstream.Request{ExecutionID: "ex"})
		if err == nil {
			_, err = next(t, reader)
			_ = reader.Close()
		}
		if !isRefused(err) {
			t.Errorf("%s: %v", name, err)
		}
		stop(t, l)
	}
}

// TestStrangeMessagesAreAnswered holds that what a node does not understand is refused where the
// reader can hear it, and hurts nobody.
func TestStrangeMessagesAreAnswered(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	files := newFiles(t, logstream.FilesConfig{})
	finished(t, files, "ex", "hello")
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: files})
	nc := s.Connect(t)
	heard, err := nc.SubscribeSync(nclprotocol.LogSubject(node) + ".>")
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range []string{"", "short", "a.b.c.d.e", "abcdefg.>", strings.Repeat("a", 65), "with space"} {
		handReader{nc: nc, stream: stream}.say(t, []byte{9})
	}
	for stream, body := range map[string]string{
		"newversion": "\x09\x01\x02\x03",
		"damaged0":   "\x01nonsense",
		"strange0":   string(frame(t, "LogStrange", 0, "{}")),
	} {
		handReader{nc: nc, stream: stream}.say(t, []byte(body))
	}
	answers := map[string]string{}
	for len(answers) < 3 {
		m, err := heard.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		answers[m.Subject] = m.Header.Get("Oc-Error")
	}
	for stream, want := range map[string]string{"newversion": "version 9", "damaged0": "damaged", "strange0": "LogStrange"} {
		if got := answers[nclprotocol.LogStreamSubject(node, stream)]; !strings.Contains(got, want) {
			t.Errorf("%s is refused as %q; all answers: %v", stream, got, answers)
		}
	}
	if got := readAll(t, open(t, over(nc), logstream.Request{ExecutionID: "ex"})); got != "hello" {
		t.Errorf("then read %q", got)
	}
}

func TestListenerConfig(t *testing.T) {
	t.Parallel()
	_, err := logstream.NewListener(logstream.ListenerConfig{MaxStreams: -1, KeepAlive: 2, ReaderGone: 1})
	for _, want := range []string{"Conn is missing", "NodeID", "Server is missing", "negative", "before the next look"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell of %q", err, want)
		}
	}
}

// TestStartAndStop holds that a listener ends at any moment, once, and with all that it began.
func TestStartAndStop(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	nc, files := s.Connect(t), newFiles(t, logstream.FilesConfig{})
	out := create(t, files, "ex")
	write(t, out.Stdout(), "text")
	for range 50 {
		l, err := logstream.NewListener(logstream.ListenerConfig{Conn: nc, NodeID: node, Server: files})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := l.Start(t.Context()); !errors.Is(err, logstream.ErrStarted) {
			t.Error("started twice:", err)
		}
		r := open(t, over(nc), logstream.Request{ExecutionID: "ex", Follow: true})
		expect(t, r, "text")
		stop(t, l)
		stop(t, l)
		if err := l.Start(t.Context()); !errors.Is(err, logstream.ErrClosed) {
			t.Error("started after its end:", err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	unborn, err := logstream.NewListener(logstream.ListenerConfig{Conn: nc, NodeID: node, Server: files})
	if err != nil {
		t.Fatal(err)
	}
	stop(t, unborn)
	if err := unborn.Start(t.Context()); !errors.Is(err, logstream.ErrClosed) {
		t.Error("started after it was stopped:", err)
	}
}

// stuck is a server that hears of nothing until it is let go.
type stuck struct{ let chan struct{} }

func (s stuck) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) { return s, nil }
func (s stuck) Close() error                                                         { return nil }

func (s stuck) Next(context.Context) (logstream.Chunk, error) {
	<-s.let
	return logstream.Chunk{}, io.EOF
}

func TestStopIsBoundedByItsContext(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	server := stuck{make(chan struct{})}
	l := listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: server})
	_ = open(t, over(s.Connect(t)), logstream.Request{ExecutionID: "ex"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Stop(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Stop = %v", err)
	}
	close(server.let)
}
