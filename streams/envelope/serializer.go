package envelope

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// DefaultMaxBytes is the longest frame that is written or read, in bytes, by default.
const DefaultMaxBytes = 8 << 20

const (
	prefix     = 1 + 4 // version and checksum
	headerRoom = 150   // for the longest header, without its strings
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Serializer is the MessageSerializer of this protocol. Its zero value is ready to use.
type Serializer struct {
	MaxBytes int // of a frame; 0: DefaultMaxBytes
}

var _ MessageSerializer = Serializer{}

func (s Serializer) limit() int {
	if s.MaxBytes > 0 {
		return s.MaxBytes
	}
	return DefaultMaxBytes
}

// Serialize writes the frame of m. It fails with ErrTooLarge, and for a time beyond the year 9999.
func (s Serializer) Serialize(m *EncodedMessage) ([]byte, error) {
	roughly := prefix + len(m.Type) + len(m.Source) + headerRoom + len(m.Payload)
	frame, err := appendHeader(make([]byte, prefix, roughly), &m.Header)
	if err != nil {
		return nil, err
	}
	if size := len(frame) + 1 + len(m.Payload); size > s.limit() {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrTooLarge, size, s.limit())
	}
	frame = append(frame, '\n')
	frame = append(frame, m.Payload...)
	frame[0] = Version
	binary.BigEndian.PutUint32(frame[1:prefix], crc32.Checksum(frame[prefix:], castagnoli))
	return frame, nil
}

// Deserialize reads a frame. It fails with a *VersionError, or with ErrDamaged or ErrTooLarge. The
// payload of the result aliases data.
func (s Serializer) Deserialize(data []byte) (*EncodedMessage, error) {
	switch {
	case len(data) > s.limit():
		return nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrTooLarge, len(data), s.limit())
	case len(data) > 0 && data[0] != Version:
		return nil, &VersionError{data[0]}
	case len(data) < prefix:
		return nil, fmt.Errorf("%w: %d bytes are no frame", ErrDamaged, len(data))
	case binary.BigEndian.Uint32(data[1:prefix]) != crc32.Checksum(data[prefix:], castagnoli):
		return nil, fmt.Errorf("%w: checksum differs", ErrDamaged)
	}
	header, payload, found := bytes.Cut(data[prefix:], []byte{'\n'})
	if !found {
		return nil, fmt.Errorf("%w: header does not end", ErrDamaged)
	}
	m := &EncodedMessage{Payload: payload}
	if err := readHeader(header, &m.Header); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	return m, nil
}
