package logstream_test

import (
	"encoding/json"
	"testing"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
)

// raw is the body of a message as it is on the wire.
type raw map[string]any

func newCodec(tb testing.TB) envelope.Codec {
	tb.Helper()
	registry := envelope.NewRegistry()
	if err := registry.Register("any", raw{}); err != nil {
		tb.Fatal(err)
	}
	return envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry}
}

func frame(tb testing.TB, kind string, sequence uint64, body string) []byte {
	tb.Helper()
	data, err := newCodec(tb).Encode(&envelope.Message{
		Header: envelope.Header{Type: kind, Sequence: sequence}, Payload: json.RawMessage(body),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// handReader speaks by hand with a node.
type handReader struct {
	nc     *nats.Conn
	stream string
	sub    *nats.Subscription
}

func newHandReader(t *testing.T, nc *nats.Conn, stream string) handReader {
	t.Helper()
	sub, err := nc.SubscribeSync(nclprotocol.LogStreamSubject(node, stream))
	if err != nil {
		t.Fatal(err)
	}
	return handReader{nc, stream, sub}
}

func (h handReader) say(t *testing.T, data []byte) {
	t.Helper()
	m := nats.NewMsg(nclprotocol.LogSubject(node))
	m.Header.Set("Oc-Stream", h.stream)
	m.Data = data
	if err := h.nc.PublishMsg(m); err != nil {
		t.Fatal(err)
	}
}

// hear waits for a message of a kind.
func (h handReader) hear(t *testing.T, kind string) envelope.EncodedMessage {
	t.Helper()
	for {
		m, err := h.sub.NextMsg(patience)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if got, err := (envelope.Serializer{}).Deserialize(m.Data); err == nil && got.Type == kind {
			return *got
		}
	}
}

// handNode answers by hand: each message of a reader with what answer returns.
func handNode(t *testing.T, nc *nats.Conn, answer func(kind string, body raw) [][]byte) {
	t.Helper()
	codec := newCodec(t)
	sub, err := nc.Subscribe(nclprotocol.LogSubject(node), func(m *nats.Msg) {
		got, err := codec.Serializer.Deserialize(m.Data)
		if err != nil {
			return
		}
		var body raw
		if json.Unmarshal(got.Payload, &body) != nil {
			return
		}
		for _, data := range answer(got.Type, body) {
			_ = nc.Publish(nclprotocol.LogStreamSubject(node, m.Header.Get("Oc-Stream")), data)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(closed) })
	t.Cleanup(func() { _ = sub.Unsubscribe(); <-closed })
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

// toOpen answers nothing but what opens a stream.
func toOpen(answer func() [][]byte) func(string, raw) [][]byte {
	return func(kind string, _ raw) [][]byte {
		if kind != "LogOpen" {
			return nil
		}
		return answer()
	}
}
