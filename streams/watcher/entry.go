package watcher

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// An event on disk is read far more often than it is written, and a thousand at a time; so what
// surrounds its object is binary:
//
//	byte 0      format of the entry, 1
//	byte 1      operation
//	byte 2–9    nanoseconds since 1970, big endian
//	byte 10     length of the object type, which follows
//	then        the object, as JSON
const (
	entryFormat = 1
	entryHeader = 11
)

// ErrDamaged says that what a ledger holds can't be read.
var ErrDamaged = errors.New("damaged ledger")

var (
	operations = [...]Operation{1: OperationCreate, 2: OperationUpdate, 3: OperationDelete}
	codes      = map[Operation]byte{OperationCreate: 1, OperationUpdate: 2, OperationDelete: 3}
)

func encodeEntry(e Event) []byte {
	b := make([]byte, 0, entryHeader+len(e.ObjectType)+len(e.Object))
	b = append(b, entryFormat, codes[e.Operation])
	b = binary.BigEndian.AppendUint64(b, uint64(e.Timestamp.UnixNano()))
	b = append(b, byte(len(e.ObjectType)))
	b = append(b, e.ObjectType...)
	return append(b, e.Object...)
}

// decodeEntry reads an event, whose object aliases b. Its object type is that of likely when they are
// the same: in a ledger most are. It fails with ErrDamaged.
func decodeEntry(seqNum uint64, b []byte, likely string) (Event, error) {
	if len(b) < entryHeader || b[0] != entryFormat || int(b[1]) >= len(operations) || operations[b[1]] == "" ||
		len(b) < entryHeader+int(b[10]) {
		return Event{}, fmt.Errorf("%w: event %d", ErrDamaged, seqNum)
	}
	rest := b[entryHeader:]
	objectType := rest[:b[10]]
	if string(objectType) != likely {
		likely = string(objectType)
	}
	return Event{
		SeqNum:     seqNum,
		Operation:  operations[b[1]],
		ObjectType: likely,
		Object:     rest[len(objectType):],
		Timestamp:  time.Unix(0, int64(binary.BigEndian.Uint64(b[2:10]))).UTC(),
	}, nil
}
