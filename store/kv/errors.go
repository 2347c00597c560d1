package kv

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"oc-scheduler/jet"
)

var (
	// ErrUnavailable says that NATS is out of reach: the same call may succeed later. After a
	// write, the outcome may be unknown.
	ErrUnavailable = errors.New("NATS is out of reach")
	// ErrNotFound says that a key has no value.
	ErrNotFound = errors.New("not found")
	// ErrTooLarge says that a value is above the size that can be stored; it will never be.
	ErrTooLarge = errors.New("too large")
	// ErrUnstorable says that something has no form in which it can be stored; it never will.
	ErrUnstorable = errors.New("cannot be stored")
	// ErrUndecodable says that a stored value cannot be read.
	ErrUndecodable = errors.New("stored value cannot be decoded")
	// ErrConflict says that another writer has changed what was to be changed. Nothing of it was stored.
	ErrConflict = errors.New("changed by another writer")
)

// noJetStreamError says that NATS answers, but JetStream does not. It is ErrUnavailable: an operator
// may enable it at any time.
type noJetStreamError struct{ cause error }

func (e *noJetStreamError) Error() string {
	return "JetStream is not enabled on this server or account"
}

func (e *noJetStreamError) Unwrap() []error { return []error{ErrUnavailable, e.cause} }

// withoutJetStream says whether a request to JetStream's API failed so because there is none.
func withoutJetStream(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) ||
		hasCode(err, jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount)
}

func hasCode(err error, codes ...jetstream.ErrorCode) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains(codes, api.ErrorCode)
}

// classify gives an error of the NATS client its meaning here: ErrConflict, ErrTooLarge,
// ErrNotFound, ErrUnavailable, or none of them. An error of the caller's own context stays as it is.
func classify(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case hasCode(err, jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case errors.Is(err, nats.ErrMaxPayload), hasCode(err, jetstream.JSErrCodeStreamMessageExceedsMaximum):
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return ErrNotFound
	case errors.Is(err, nats.ErrReconnectBufExceeded): // its words are of a buffer that is none: nothing is kept back
		return ErrUnavailable
	case outOfReach(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// Unknown says whether a write that failed so may have happened all the same.
func Unknown(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
}

// refusedForNow says whether a server took no batch, or lacks its first messages: it had too many then, or has come to lead
// the stream meanwhile. Nothing of it is stored.
func refusedForNow(err error) bool {
	return hasCode(err, jetstreamext.JSErrCodeAtomicPublishTooManyInflight, jetstreamext.JSErrCodeBatchPublishIncomplete)
}

func outOfReach(err error) bool {
	var api *jetstream.APIError
	if refusedForNow(err) || errors.As(err, &api) && (api.Code == http.StatusServiceUnavailable || api.Code == http.StatusTooManyRequests) {
		return true
	}
	return slices.ContainsFunc([]error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed,
		nats.ErrConnectionReconnecting, nats.ErrNoServers,
		nats.ErrDisconnected, nats.ErrStaleConnection, nats.ErrConnectionDraining,
		jetstream.ErrNoStreamResponse, jetstream.ErrStreamNotFound, jetstream.ErrConnectionClosed,
		jetstream.ErrServerShutdown, jetstream.ErrNoHeartbeat, jetstream.ErrConsumerDeleted,
		jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDoesNotExist, jet.ErrNoLeader, jet.ErrBehind,
	}, func(target error) bool { return errors.Is(err, target) })
}
