package jet

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// ForeignError says that JetStream already holds something of our names, or on our subjects, that
// is not ours. Trying again is of no use until an operator acts.
type ForeignError struct {
	Name        string // e.g. stream OC_BUS
	CapturedBy  string // the other stream that captures a subject of it
	Subject     string // that subject
	Differences Differences
}

// Error lists each differing field in one line, or names the stream that stands in the way.
func (e *ForeignError) Error() string {
	if e.CapturedBy != "" {
		return fmt.Sprintf("%s: subject %s is already captured by stream %s", e.Name, e.Subject, e.CapturedBy)
	}
	return fmt.Sprintf("%s has a foreign configuration: %v", e.Name, e.Differences)
}

// LayoutError says that a stream has another layout than this program needs, and that neither can be done with:
// a newer one whose release says so, or an older one that cannot be changed in place. Trying again is of no use
// until an operator acts.
type LayoutError struct {
	Name        string
	Have, Want  Version
	Differences Differences // what can't be changed in place; none: the stream's layout is the newer one
}

// Error names both versions in one line.
func (e *LayoutError) Error() string {
	if len(e.Differences) == 0 {
		return fmt.Sprintf("%s has layout %d, for programs of layout %d or newer; this one is of layout %d: run a newer release",
			e.Name, e.Have.Layout, e.Have.Least, e.Want.Layout)
	}
	return fmt.Sprintf("%s has layout %d and does not become layout %d in place: %v", e.Name, e.Have.Layout, e.Want.Layout, e.Differences)
}

// NoClusterError says that copies were asked for of a server that is alone. Trying again is of no use
// until an operator acts.
type NoClusterError struct{ Replicas int }

// Error names the flag.
func (e *NoClusterError) Error() string {
	return fmt.Sprintf("--js-replicas: %d needs a NATS cluster; this server has none", e.Replicas)
}

// NeedsOperator says whether no retry helps: err is a ForeignError, a LayoutError or a NoClusterError, or holds one.
func NeedsOperator(err error) bool {
	_, foreign := errors.AsType[*ForeignError](err)
	_, layout := errors.AsType[*LayoutError](err)
	_, alone := errors.AsType[*NoClusterError](err)
	return foreign || layout || alone
}

// Errors of the NATS server (nats-server, errors.json) that the client doesn't name.
var (
	errNoReplication = &jetstream.APIError{ErrorCode: 10074} // replicas > 1 on a server without a cluster
	errSealed        = &jetstream.APIError{ErrorCode: 10109} // a stream that an operator has closed for good
	errAccountFull   = &jetstream.APIError{ErrorCode: 10002} // the account may store no more
	errNoSequence    = &jetstream.APIError{ErrorCode: 10043} // a message to be removed is not there
	errNotRemoved    = &jetstream.APIError{ErrorCode: 10057} // for the reason that the description tells
	errTooLarge      = &jetstream.APIError{ErrorCode: jetstream.JSErrCodeStreamMessageExceedsMaximum}
	errOverlap       = &jetstream.APIError{ErrorCode: 10065} // subjects are captured by another stream
)
