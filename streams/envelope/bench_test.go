package envelope_test

import (
	"strings"
	"testing"
	"time"

	"oc-scheduler/streams/envelope"
)

// event is a message of about 1 KB, as a node sends them.
func event() *envelope.Message {
	return &envelope.Message{
		Header:  envelope.Header{Source: "0198c0de-ledger", Sequence: 123456, Previous: 123455, Time: time.Now()},
		Payload: &Note{N: 7, Text: strings.Repeat("text ", 170)},
	}
}

func BenchmarkEncode(b *testing.B) {
	c, m := codec(b), event()
	b.SetBytes(int64(len(encode(b, m))))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Encode(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	c, frame := codec(b), encode(b, event())
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Decode(frame); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFrame is BenchmarkEncode and BenchmarkDecode without the payload's JSON.
func BenchmarkFrame(b *testing.B) {
	s := envelope.Serializer{}
	m, err := codec(b).Registry.Serialize(event())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		frame, err := s.Serialize(m)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Deserialize(frame); err != nil {
			b.Fatal(err)
		}
	}
}
