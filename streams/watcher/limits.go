package watcher

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Limits of a ledger.
const (
	// DefaultLimit is how many events a page holds unless its request says otherwise.
	DefaultLimit = 1000
	// MaxPageBytes bounds the objects of a page; a larger object is a page of its own.
	MaxPageBytes = 1 << 20
	// MaxObjectBytes is the longest encoded object.
	MaxObjectBytes = 4 << 20
	// MaxNameBytes is the longest object type, and the longest name of a checkpoint.
	MaxNameBytes = 255
	// DefaultMaxEvents is how many events a ledger keeps unless told otherwise.
	DefaultMaxEvents = 1_000_000
)

// ErrInvalid says that a request can't be stored, however often it is tried.
var ErrInvalid = errors.New("invalid event store request")

// event is the request as an event that has no number and time yet. It fails with ErrInvalid.
func (r StoreEventRequest) event() (Event, error) {
	if _, known := codes[r.Operation]; !known {
		return Event{}, fmt.Errorf("%w: operation %q", ErrInvalid, r.Operation)
	}
	if err := checkName("object type", r.ObjectType); err != nil {
		return Event{}, err
	}
	object, err := json.Marshal(r.Object)
	switch {
	case err != nil:
		return Event{}, fmt.Errorf("%w: object of type %s: %w", ErrInvalid, r.ObjectType, err)
	case len(object) > MaxObjectBytes:
		return Event{}, fmt.Errorf("%w: object of type %s has %d bytes, at most %d are allowed",
			ErrInvalid, r.ObjectType, len(object), MaxObjectBytes)
	}
	return Event{Operation: r.Operation, ObjectType: r.ObjectType, Object: object}, nil
}

func checkName(what, name string) error {
	if name == "" || len(name) > MaxNameBytes {
		return fmt.Errorf("%w: %s of %d bytes, 1 to %d are allowed", ErrInvalid, what, len(name), MaxNameBytes)
	}
	return nil
}

func (r GetEventsRequest) limit() int {
	if r.Limit > 0 {
		return r.Limit
	}
	return DefaultLimit
}
