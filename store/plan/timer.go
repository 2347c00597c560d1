package plan

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/kv"
)

// HeaderDue is of a timer's message, set and fired: for when it is.
const HeaderDue = "Oc-Due"

// Ahead is how long before its time a timer fires. A server looks for what is due every 250 ms at most (nats-server,
// MsgScheduling.resetTimer), so that one set to its time would be handled half of that late; OnDue waits for the rest.
const Ahead = 300 * time.Millisecond

// Timer is the write of Due that has a message stored under the same id in Fired, for OnDue to hand on when its time
// has come; one that has passed is now. It is exact to the nanosecond: the client of NATS would cut it to seconds.
// Another one takes its place, and Remove ends it.
func Timer(id string, at time.Time) *kv.Write {
	return &kv.Write{Header: nats.Header{
		jetstream.ScheduleHeader:       {pattern(at)},
		jetstream.ScheduleTargetHeader: {Fired.Prefix + string(kv.KeyOf(id))},
		HeaderDue:                      {at.UTC().Format(time.RFC3339Nano)},
	}}
}

// Waits says whether a message of Due is the timer for that time.
func Waits(m kv.Message, at time.Time) bool {
	return m.Live() && m.Header.Get(jetstream.ScheduleHeader) == pattern(at)
}

// DecodeTimer reads when a message of Due fires. It fails with kv.ErrUndecodable.
func DecodeTimer(_ kv.Key, m kv.Message) (time.Time, error) {
	at, err := time.Parse("@at "+time.RFC3339Nano, m.Header.Get(jetstream.ScheduleHeader))
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
	}
	return at, nil
}

// DecodeFired reads since when a message of Fired waits to be handled. It never fails.
func DecodeFired(_ kv.Key, m kv.Message) (time.Time, error) { return m.Stored, nil }

func pattern(at time.Time) string { return "@at " + at.Add(-Ahead).UTC().Format(time.RFC3339Nano) }
