package orchestrator

import (
	"context"
	"errors"

	"oc-scheduler/store/kv"
	"oc-scheduler/streams/ncl"
)

var (
	// ErrUnknownNode says that no node of that id has ever asked to take part, or that it was removed.
	ErrUnknownNode = errors.New("no such node")
	// ErrNotApproved says that a node may not take part.
	ErrNotApproved = errors.New("the node is not approved")
)

// refusal tells a node what it can wait for; other errors are ours alone.
func refusal(err error) error {
	switch {
	case errors.Is(err, kv.ErrUnavailable):
		return &ncl.RefusedError{Reason: "the scheduler is out of JetStream's reach"}
	case errors.Is(err, context.DeadlineExceeded):
		return &ncl.RefusedError{Reason: "busy"}
	}
	return err
}
