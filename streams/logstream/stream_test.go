package logstream_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
)

// TestANodeSendsNoMoreThanAllowed holds that each stream waits for its own reader's credit.
func TestANodeSendsNoMoreThanAllowed(t *testing.T) {
	t.Parallel()
	const full = logstream.MaxChunk + 1024 // what a chunk costs
	s := natstest.Start(t)
	files, clock := newFiles(t, logstream.FilesConfig{}), clockwork.NewFakeClock()
	finished(t, files, "ex", strings.Repeat("x", 5*logstream.MaxChunk))
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: files, Clock: clock})
	reader := newHandReader(t, s.Connect(t), "stream00")
	check := func(sequences ...uint64) {
		t.Helper()
		for _, want := range sequences {
			if got := reader.hear(t, "LogChunk"); got.Sequence != want {
				t.Fatalf("chunk %d, want %d", got.Sequence, want)
			}
		}
		var told uint64
		for range 100 { // a chunk is heard a moment before it counts as sent
			reader.say(t, frame(t, "LogCredit", 0, `{"allowed":1}`)) // it is still there
			clock.Advance(time.Second)
			if told = reader.hear(t, "LogAlive").Sequence; told >= sequences[len(sequences)-1] {
				break
			}
		}
		if told != sequences[len(sequences)-1] {
			t.Fatalf("sent up to %d, allowed up to %d", told, sequences)
		}
	}
	reader.say(t, frame(t, "LogOpen", 0, `{"execution_id":"ex","allowed":`+number(2*full)+`}`))
	reader.hear(t, "LogAlive")
	check(1, 2)
	reader.say(t, frame(t, "LogCredit", 0, `{"allowed":`+number(4*full-1)+`}`))
	check(3)
	reader.say(t, frame(t, "LogCredit", 0, `{"allowed":1}`)) // an old one
	reader.say(t, frame(t, "LogCredit", 0, `{"allowed":`+number(10*full)+`}`))
	for want := range 2 {
		if got := reader.hear(t, "LogChunk"); got.Sequence != uint64(want+4) {
			t.Fatalf("chunk %d, want %d", got.Sequence, want+4)
		}
	}
	if got := ending(t, reader); got != "end" {
		t.Errorf("ends with %q", got)
	}
}

func number(n int) string {
	data, _ := json.Marshal(n)
	return string(data)
}

// ending waits for the end of a stream. It returns its code.
func ending(t *testing.T, h handReader) string {
	t.Helper()
	var body struct{ Code string }
	if err := json.Unmarshal(h.hear(t, "LogEnd").Payload, &body); err != nil {
		t.Fatal(err)
	}
	return body.Code
}

// TestAStreamIsOpenedOnce holds that a question that is repeated makes no second reader, and that a
// node which stops says so.
func TestAStreamIsOpenedOnce(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	server := newEndless()
	l := listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: server})
	reader := newHandReader(t, s.Connect(t), "stream00")
	for range 3 {
		reader.say(t, frame(t, "LogOpen", 0, `{"execution_id":"ex","follow":true}`))
	}
	await(t, "it is served", server.opened)
	reader.hear(t, "LogAlive")
	stop(t, l)
	if got := ending(t, reader); got != "stopping" {
		t.Errorf("ends with %q", got)
	}
	if len(server.opened) != 0 {
		t.Errorf("opened %d more times", len(server.opened))
	}
}

// TestSenselessRequestsAreRefused holds that a node looks at what it is asked.
func TestSenselessRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: newEndless()})
	reader := newHandReader(t, s.Connect(t), "stream00")
	for _, body := range []string{`{}`, `{"execution_id":"a\u0000"}`, `{"execution_id":"ex","tail":-1}`} {
		reader.say(t, frame(t, "LogOpen", 0, body))
		if got := ending(t, reader); got != "invalid" {
			t.Errorf("%s: ends with %q", body, got)
		}
	}
}

// whole is a server that gives all in one chunk.
type whole struct{ data string }

func (w whole) OpenLog(context.Context, logstream.Request) (logstream.Reader, error) {
	return &wholeReader{w.data}, nil
}

type wholeReader struct{ data string }

func (r *wholeReader) Next(context.Context) (logstream.Chunk, error) {
	if r.data == "" {
		return logstream.Chunk{}, io.EOF
	}
	c := logstream.Chunk{Source: logstream.Stderr, Data: []byte(r.data), Offset: uint64(len(r.data))}
	r.data = ""
	return c, nil
}

func (*wholeReader) Close() error { return nil }

// TestALargeChunkIsCut holds that a server may give chunks of any size.
func TestALargeChunkIsCut(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	data := strings.Repeat("0123456789", 100_000)
	listen(t, logstream.ListenerConfig{Conn: s.Connect(t), Server: whole{data}})
	if got := readAll(t, open(t, over(s.Connect(t)), logstream.Request{ExecutionID: "ex"})); got != data {
		t.Errorf("read %d bytes of %d", len(got), len(data))
	}
}
