package plan

import (
	"errors"
	"time"

	fastjson "github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// Bucket is the name of the bucket.
const Bucket = "plan"

// Layout is how the bucket is kept.
var Layout = kv.Layout{
	Bucket: Bucket, Description: "What is booked, held and run: schedules, bookings, holds, runs and timers",
	MarkerTTL: markerTTL, Batches: true, Schedules: true, Version: jet.Version{Layout: 2, Least: 1},
	Durables: []jetstream.ConsumerConfig{dueConsumer, changesConsumer},
}

// markerTTL is how long an end can be seen by who was away: as long as what is said on the bus.
const markerTTL = 24 * time.Hour

// dueConsumer is the durable through which the fleet learns, once, of each timer that has fired.
var dueConsumer = jetstream.ConsumerConfig{
	Durable:       "oc-scheduler-due",
	FilterSubject: Fired.Filter(),
	DeliverPolicy: jetstream.DeliverAllPolicy,
	AckPolicy:     jetstream.AckExplicitPolicy,
	AckWait:       kv.WorkAckWait,
	MaxDeliver:    -1,
	MaxAckPending: 8000,
}

// changesConsumer is the durable through which the fleet learns, once, of what becomes of schedules, bookings, holds
// and runs: of each the newest.
var changesConsumer = jetstream.ConsumerConfig{
	Durable:        "oc-scheduler-changes",
	FilterSubjects: []string{Schedules.Filter(), Bookings.Filter(), Holds.Filter(), Runs.Filter()},
	DeliverPolicy:  jetstream.DeliverAllPolicy,
	AckPolicy:      jetstream.AckExplicitPolicy,
	AckWait:        kv.WorkAckWait,
	MaxDeliver:     -1,
	MaxAckPending:  8000,
}

// The kinds of keys.
var (
	Schedules   = space("schedule", 1)    // of a schedule
	Bookings    = space("booking", 4)     // of a peer, a resource, an instance and the owner
	Holds       = space("hold", 1)        // of a hold
	Heads       = space("head", 3)        // of a peer, a resource and an instance
	Runs        = space("run", 1)         // of a run
	Due         = space("due", 1)         // of what waits, a schedule or run: a message schedule
	Fired       = space("fired", 1)       // likewise, once its time has come and until that is handled
	Idempotency = space("idempotency", 1) // of a hash
)

func space(kind string, tokens int) kv.Space {
	return kv.Space{Bucket: Bucket, Prefix: kv.BucketPrefix(Bucket) + kind + ".", Tokens: tokens}
}

// How long what has ended is remembered.
const (
	KeptFor = 30 * 24 * time.Hour // schedules and runs after their end, heads after the last commit
	// AnsweredFor is how long an answer is given again to who asks the same with the same key.
	AnsweredFor = 24 * time.Hour
)

// HeadKey is the key of an instance's head.
func HeadKey(p schedule.Place) kv.Key { return kv.KeyOf(p.PeerID, p.ResourceID, p.InstanceID) }

// BookingKey is the key of what an owner, a schedule or a hold, takes of an instance.
func BookingKey(p schedule.Place, owner string) kv.Key {
	return kv.KeyOf(p.PeerID, p.ResourceID, p.InstanceID, owner)
}

// Decoders of the kinds that are records; each fails with kv.ErrUndecodable.
var (
	DecodeSchedule = func(key kv.Key, m kv.Message) (schedule.Record, error) {
		r, err := decodeSchedule(key, m)
		r.Remember()
		return r, err
	}
	DecodeHold = kv.JSON(func(key kv.Key, h schedule.HoldRecord) error { return own(key, h.ID, h.Check()) })
	DecodeRun  = kv.By(run.Decode, func(key kv.Key, r run.Record) error { return own(key, r.ID, nil) })
	DecodeHead = kv.JSON[schedule.Head](nil)

	DecodeBooking = kv.By(readBooking, func(key kv.Key, b schedule.Booking) error {
		if err := b.Check(); err != nil {
			return err
		}
		if key != BookingKey(b.Place, b.Owner()) {
			return errForeign
		}
		return nil
	})
)

// readBooking is quicker than encoding/json: there are many more bookings than anything else, and all are read at a start.
func readBooking(data []byte) (b schedule.Booking, err error) {
	err = fastjson.Unmarshal(data, &b)
	return b, err
}

var decodeSchedule = kv.JSON(func(key kv.Key, r schedule.Record) error { return own(key, r.ID, r.Check()) })

var errForeign = errors.New("another one stands under this key")

// own holds that a record stands under its own key.
func own(key kv.Key, id string, err error) error {
	if err == nil && key.ID() != id {
		return errForeign
	}
	return err
}
