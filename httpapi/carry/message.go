package carry

import (
	"encoding/binary"
	"math"
	"sync/atomic"
)

// messages turns the data of frames into WebSocket messages. A change mostly gives many clients the
// same frame, one after the other: so the last message is kept.
type messages struct{ last atomic.Pointer[message] }

// message is a text message in one piece.
type message struct {
	text []byte
	wire []byte
}

// pieces are a message, or what is left of one, in the order in which they go over the wire.
type pieces [2][]byte

func (p *pieces) empty() bool { return len(p[0])+len(p[1]) == 0 }

const (
	// maxPiece is the largest text that is copied to be sent with one call. Larger ones are shared by all
	// who get them, however slowly.
	maxPiece  = 64 << 10
	maxHeader = 10
)

// of returns the message of a text, which must not be modified afterwards.
func (m *messages) of(text []byte) pieces {
	if len(text) > maxPiece {
		return pieces{appendHeader(make([]byte, 0, maxHeader), len(text)), text}
	}
	last := m.last.Load()
	if last == nil || len(text) != len(last.text) || &text[0] != &last.text[0] {
		last = &message{text, append(appendHeader(make([]byte, 0, maxHeader+len(text)), len(text)), text...)}
		m.last.Store(last)
	}
	return pieces{last.wire}
}

// appendHeader begins an unmasked message in one frame (RFC 6455, section 5.2).
func appendHeader(b []byte, size int) []byte {
	const text, two, eight = 0x81, 126, 127
	b = append(b, text)
	switch {
	case size < two:
		return append(b, byte(size))
	case size <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, two), uint16(size))
	}
	return binary.BigEndian.AppendUint64(append(b, eight), uint64(size))
}
