package schedule

import (
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"

	"oc-scheduler/store/planner"
)

// Prefix begins the ids of one kind.
type Prefix string

// The kinds of ids.
const (
	OfSchedule Prefix = "s-"
	OfHold     Prefix = "h-"
	OfRun      Prefix = "r-"
	OfBooking  Prefix = planner.BookingPrefix
)

// alphabet is in the order of bytes, so that ids sort as what they are made of.
var alphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// idBytes are six of a time in milliseconds, and nine of chance.
const idBytes = 6 + 9

// NewID is an id that sorts, among those of its kind, by the time of its making, to the millisecond.
func NewID(of Prefix, made time.Time, chance [9]byte) string {
	var b [8 + 9]byte
	binary.BigEndian.PutUint64(b[:], uint64(made.UnixMilli()))
	copy(b[8:], chance[:])
	return string(of) + alphabet.EncodeToString(b[8-6:])
}

// Is says whether an id of this kind may be so written.
func (of Prefix) Is(id string) bool {
	text, ok := strings.CutPrefix(id, string(of))
	if !ok || len(text) != alphabet.EncodedLen(idBytes) {
		return false
	}
	_, err := alphabet.DecodeString(text)
	return err == nil
}

// MadeAt is when an id was made, to the millisecond; zero of what is none.
func MadeAt(id string) time.Time {
	_, text, _ := strings.Cut(id, "-")
	b, err := alphabet.DecodeString(text)
	if err != nil || len(b) != idBytes {
		return time.Time{}
	}
	var ms [8]byte
	copy(ms[2:], b[:6])
	return time.UnixMilli(int64(binary.BigEndian.Uint64(ms[:]))).UTC()
}
