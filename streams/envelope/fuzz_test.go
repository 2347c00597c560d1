package envelope_test

import (
	"bytes"
	"errors"
	"testing"

	"oc-scheduler/streams/envelope"
)

// FuzzDeserialize holds that any bytes are read or refused, and that what was read is written alike.
func FuzzDeserialize(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{envelope.Version})
	f.Add(encode(f, &envelope.Message{Payload: Note{N: 1}}))
	f.Add(encode(f, &envelope.Message{Header: envelope.Header{Source: "\n\"é"}, Payload: Note{Text: "\n"}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := envelope.Serializer{}
		m, err := s.Deserialize(data)
		if err != nil {
			if _, version := errors.AsType[*envelope.VersionError](err); !version && !errors.Is(err, envelope.ErrDamaged) && !errors.Is(err, envelope.ErrTooLarge) {
				t.Errorf("refused without a reason of ours: %v", err)
			}
			return
		}
		frame, err := s.Serialize(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Deserialize(frame)
		if err != nil || again.Type != m.Type || again.Source != m.Source || again.Sequence != m.Sequence ||
			again.Previous != m.Previous || !again.Time.Equal(m.Time) || !bytes.Equal(again.Payload, m.Payload) {
			t.Errorf("%+v became %+v, %v", m, again, err)
		}
	})
}
