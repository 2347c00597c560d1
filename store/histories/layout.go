package histories

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/history"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

// Stream is the name of the stream.
const Stream = "OC_HISTORY"

// keptFor is how long an item is kept.
const keptFor = 90 * 24 * time.Hour

const prefix = "oc.history."

// Subject is where the history of a thing stands: oc.history.<kind>.<id>.
func Subject(kind history.Kind, of string) string { return prefix + string(kind) + "." + id.Key(of) }

// BookingSubject is where stands what was said of a booking: oc.history.booking.<peer>.<resource>.<instance>.<owner>.
func BookingSubject(key kv.Key) string { return prefix + "booking." + string(key) }

// Expect lists what Open needs on the server at a replication of 1, 3 or 5.
func Expect(replicas int) []jet.Expected { return []jet.Expected{{Stream: layout(replicas)}} }

func layout(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        Stream,
		Description: "What has become of runs, schedules and holds",
		Subjects:    []string{prefix + ">"},
		Storage:     jetstream.FileStorage,
		Discard:     jetstream.DiscardOld,
		MaxAge:      keptFor,
		MaxMsgs:     -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1,
		AllowDirect: true, AllowRollup: true,
		Replicas: replicas,
	}
}

// Publishes lists the subjects beside those of making the stream on which a replica publishes, for a thing of that id.
func Publishes(of string) []string {
	subject := Subject(history.OfRun, of)
	return []string{subject, "$JS.API.DIRECT.GET." + Stream, "$JS.API.DIRECT.GET." + Stream + "." + subject}
}
