package httpapi

import (
	"encoding/binary"
	"math"
	"sync/atomic"
)

// messages turns frames of check streams into WebSocket messages. A change mostly gives many clients the
// same frame, one after the other: so the last message is kept.
type messages struct{ last atomic.Pointer[message] }

// message is a text message as it goes over the wire.
type message struct {
	text []byte
	wire []byte
}

// of returns the message of a text, which must not be modified afterwards.
func (m *messages) of(text []byte) []byte {
	last := m.last.Load()
	if last == nil || len(text) != len(last.text) || &text[0] != &last.text[0] {
		last = &message{text, append(header(len(text)), text...)}
		m.last.Store(last)
	}
	return last.wire
}

// header begins an unmasked message in one frame (RFC 6455, section 5.2), with room for its text.
func header(size int) []byte {
	const text, two, eight = 0x81, 126, 127
	b := append(make([]byte, 0, size+10), text)
	switch {
	case size < two:
		return append(b, byte(size))
	case size <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, two), uint16(size))
	}
	return binary.BigEndian.AppendUint64(append(b, eight), uint64(size))
}
