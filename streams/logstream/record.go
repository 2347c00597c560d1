package logstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
)

// A file is a sequence of records:
//
//	byte 0      kind
//	byte 1–8    time of writing, nanoseconds since 1970
//	byte 9–16   offset: bytes of data in the file up to the end of this record
//	byte 17–20  length of the data, at most MaxChunk
//	byte 21–24  CRC-32C of the bytes before and of the data
//	then        the data, and its length again, for reading backwards
//
// Numbers are big endian.
const (
	recordHead   = 1 + 8 + 8 + 4 + 4
	recordTail   = 4
	recordFrame  = recordHead + recordTail
	checksumFrom = recordHead - 4
)

type kind byte

const (
	kindStdout kind = 1
	kindStderr kind = 2
	kindEnd    kind = 3 // the last record of output that has ended; without data
)

// errTorn says that bytes are no record: the process died while it wrote it.
var errTorn = errors.New("torn record")

type record struct {
	kind   kind
	time   time.Time
	offset uint64
	data   []byte
}

func (r record) size() int64 { return int64(recordFrame + len(r.data)) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendRecord(dst []byte, r record) []byte {
	start := len(dst)
	dst = append(dst, byte(r.kind))
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.time.UnixNano()))
	dst = binary.BigEndian.AppendUint64(dst, r.offset)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(r.data)))
	dst = binary.BigEndian.AppendUint32(dst, checksum(dst[start:], r.data))
	dst = append(dst, r.data...)
	return binary.BigEndian.AppendUint32(dst, uint32(len(r.data)))
}

func checksum(head, data []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, data)
}

// dataLength is what the head of a record says. It fails with errTorn.
func dataLength(head []byte) (int, error) {
	length := binary.BigEndian.Uint32(head[checksumFrom-4:])
	if length > MaxChunk {
		return 0, fmt.Errorf("%w: %d bytes of data", errTorn, length)
	}
	return int(length), nil
}

// parseRecord reads the record that b begins with; its data aliases b. It fails with errTorn.
func parseRecord(b []byte) (record, error) {
	if len(b) < recordFrame {
		return record{}, errTorn
	}
	length, err := dataLength(b)
	if err != nil {
		return record{}, err
	}
	if len(b) < recordFrame+length {
		return record{}, errTorn
	}
	r := record{
		kind:   kind(b[0]),
		time:   time.Unix(0, int64(binary.BigEndian.Uint64(b[1:]))),
		offset: binary.BigEndian.Uint64(b[9:]),
		data:   b[recordHead : recordHead+length],
	}
	switch {
	case binary.BigEndian.Uint32(b[checksumFrom:]) != checksum(b[:checksumFrom], r.data):
		return record{}, fmt.Errorf("%w: checksum differs", errTorn)
	case binary.BigEndian.Uint32(b[recordHead+length:]) != uint32(length):
		return record{}, fmt.Errorf("%w: lengths differ", errTorn)
	case r.kind < kindStdout || r.kind > kindEnd || r.kind == kindEnd && length > 0 || r.offset < uint64(length):
		return record{}, fmt.Errorf("%w: kind %d, %d bytes up to %d", errTorn, r.kind, length, r.offset)
	}
	return r, nil
}

func (r record) source() Source {
	if r.kind == kindStderr {
		return Stderr
	}
	return Stdout
}
