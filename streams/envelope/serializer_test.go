package envelope_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/streams/envelope"
)

// Note is the payload here.
type Note struct {
	N    int      `json:"n"`
	Text string   `json:"text,omitempty"`
	Tags []string `json:"tags,omitempty"`
}

func codec(tb testing.TB) envelope.Codec {
	tb.Helper()
	r := envelope.NewRegistry()
	if err := r.Register("Note", Note{}); err != nil {
		tb.Fatal(err)
	}
	return envelope.Codec{Serializer: envelope.Serializer{}, Registry: r}
}

func encode(tb testing.TB, m *envelope.Message) []byte {
	tb.Helper()
	frame, err := codec(tb).Encode(m)
	if err != nil {
		tb.Fatal(err)
	}
	return frame
}

func TestMessagesTravel(t *testing.T) {
	t.Parallel()
	c := codec(t)
	rapid.Check(t, func(t *rapid.T) {
		sent := &envelope.Message{
			Header: envelope.Header{
				Source: rapid.String().Draw(t, "source"), Sequence: rapid.Uint64().Draw(t, "sequence"),
				Previous: rapid.Uint64().Draw(t, "previous"), Time: time.Unix(rapid.Int64Range(0, 1e11).Draw(t, "time"), 5).UTC(),
			},
			Payload: Note{N: rapid.Int().Draw(t, "n"), Text: rapid.String().Draw(t, "text")},
		}
		if rapid.Bool().Draw(t, "by pointer") {
			note := sent.Payload.(Note)
			sent.Payload = &note
		}
		frame, err := c.Encode(sent)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Decode(frame)
		if err != nil {
			t.Fatal(err)
		}
		want := sent.Header
		want.Type = "Note"
		if got.Header != want || noteOf(got).N != noteOf(sent).N || noteOf(got).Text != noteOf(sent).Text {
			t.Fatalf("sent %+v, got %+v", sent, got)
		}
	})
}

func noteOf(m *envelope.Message) Note {
	if n, ok := m.Payload.(*Note); ok {
		return *n
	}
	return m.Payload.(Note)
}

// TestTheFrame holds what is on the wire: other versions of this program read it.
func TestTheFrame(t *testing.T) {
	t.Parallel()
	m := &envelope.Message{
		Header:  envelope.Header{Source: "ledger", Sequence: 7, Previous: 5, Time: time.Date(2026, 3, 4, 5, 6, 7, 8e6, time.UTC)},
		Payload: Note{N: 1, Text: "é"},
	}
	const want = "\x01\x26\x50\xc4\xc3" +
		`{"type":"Note","source":"ledger","sequence":7,"previous":5,"time":"2026-03-04T05:06:07.008Z"}` + "\n" + `{"n":1,"text":"é"}`
	if got := encode(t, m); string(got) != want {
		t.Errorf("frame %q", got)
	}
}

func TestEveryDamageIsSeen(t *testing.T) {
	t.Parallel()
	whole := encode(t, &envelope.Message{Header: envelope.Header{Source: "s", Sequence: 1}, Payload: Note{N: 1, Text: "hello"}})
	s := envelope.Serializer{}
	for i := range whole {
		for change := 1; change < 256; change++ {
			frame := bytes.Clone(whole)
			frame[i] ^= byte(change)
			_, err := s.Deserialize(frame)
			if _, version := errors.AsType[*envelope.VersionError](err); version != (i == 0) || !version && !errors.Is(err, envelope.ErrDamaged) {
				t.Fatalf("byte %d changed by %#x: %v", i, change, err)
			}
		}
		if _, err := s.Deserialize(whole[:i]); !errors.Is(err, envelope.ErrDamaged) {
			t.Errorf("cut after %d bytes: %v", i, err)
		}
	}
	if _, err := s.Deserialize(append(bytes.Clone(whole), 0)); !errors.Is(err, envelope.ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	frame := encode(t, &envelope.Message{Payload: Note{N: 1}})
	frame[0] = 2
	if _, err := codec(t).Decode(frame); err == nil || err.Error() != "unknown message version 2: this side speaks version 1" {
		t.Errorf("version: %v", err)
	}
	raw := &envelope.Message{Header: envelope.Header{Type: "Order"}, Payload: json.RawMessage(`{}`)}
	if _, err := codec(t).Decode(encode(t, raw)); err == nil || err.Error() != `unknown message type "Order"` {
		t.Errorf("type: %v", err)
	}
	raw = &envelope.Message{Header: envelope.Header{Type: "Note"}, Payload: json.RawMessage(`{"n":"one"}`)}
	if _, err := codec(t).Decode(encode(t, raw)); !errors.Is(err, envelope.ErrPayload) || !strings.Contains(err.Error(), "Note") {
		t.Errorf("payload: %v", err)
	}
}

func TestTheLimit(t *testing.T) {
	t.Parallel()
	m := &envelope.EncodedMessage{Header: envelope.Header{Type: "Note"}, Payload: make([]byte, 100)}
	frame, err := envelope.Serializer{}.Serialize(m)
	if err != nil {
		t.Fatal(err)
	}
	exact, less := envelope.Serializer{MaxBytes: len(frame)}, envelope.Serializer{MaxBytes: len(frame) - 1}
	if _, err := exact.Serialize(m); err != nil {
		t.Error(err)
	}
	if _, err := exact.Deserialize(frame); err != nil {
		t.Error(err)
	}
	if _, err := less.Serialize(m); !errors.Is(err, envelope.ErrTooLarge) {
		t.Errorf("written beyond the limit: %v", err)
	}
	if _, err := less.Deserialize(frame); !errors.Is(err, envelope.ErrTooLarge) {
		t.Errorf("read beyond the limit: %v", err)
	}
	m.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	if frame, err := exact.Serialize(m); err == nil {
		t.Errorf("year 10000: %q", frame)
	}
}
