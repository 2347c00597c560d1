package store

import (
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
)

// afterHeader of a workflow is when the one before it under its id was removed.
const afterHeader = "Oc-After"

// inLife are the headers of a workflow that takes the place of what is last under its id.
func inLife(h nats.Header, last kv.Message) nats.Header {
	after := last.Header.Get(afterHeader)
	if last.Revision > 0 && !last.Live() {
		after = last.Stored.UTC().Format(time.RFC3339Nano)
	}
	if after == "" {
		return h
	}
	return with(h, afterHeader, after)
}

// afterOf is what the headers of a workflow say; zero: none was removed before it.
func afterOf(h nats.Header) time.Time {
	after, _ := time.Parse(time.RFC3339Nano, h.Get(afterHeader)) // what others have put there says nothing
	return after
}

// Outlived says whether what was made at a time, for the workflow that followed the removal after, has outlived that
// workflow: it was removed since, though there is one again. Clocks alone do not tell: what is booked the moment after
// may bear a time before.
func (r *WorkflowRecord) Outlived(after, made time.Time) bool {
	return !after.Equal(r.After) && made.Before(r.After)
}
