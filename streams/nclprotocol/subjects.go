package nclprotocol

import (
	"fmt"
	"strings"

	"oc-scheduler/store/id"
)

// Streams of JetStream.
const (
	OutStream = "OC_COMPUTE_OUT" // from nodes
	InStream  = "OC_COMPUTE_IN"  // to nodes
)

// Subjects of all nodes.
const (
	AllControl = "oc.compute.*.out.ctrl"
	AllOut     = "oc.compute.*.out.msgs"
	AllIn      = "oc.compute.*.in.msgs"
)

const root = "oc.compute."

// ControlSubject is oc.compute.<node>.out.ctrl: requests of a node to any replica.
func ControlSubject(nodeID string) string { return root + id.Key(nodeID) + ".out.ctrl" }

// OutSubject is oc.compute.<node>.out.msgs: messages of a node, kept by OutStream.
func OutSubject(nodeID string) string { return root + id.Key(nodeID) + ".out.msgs" }

// InSubject is oc.compute.<node>.in.msgs: messages to a node, kept by InStream.
func InSubject(nodeID string) string { return root + id.Key(nodeID) + ".in.msgs" }

// LogSubject is oc.compute.<node>.logs: requests for the output of a node's executions.
func LogSubject(nodeID string) string { return root + id.Key(nodeID) + ".logs" }

// LogStreamSubject is oc.compute.<node>.logs.<stream>: the output that one reader asked for.
func LogStreamSubject(nodeID, stream string) string { return LogSubject(nodeID) + "." + stream }

// InboxPrefix is _INBOX.<node>: where a node receives answers. Its NATS user needs to read no other.
func InboxPrefix(nodeID string) string { return "_INBOX." + id.Key(nodeID) }

// InConsumer is the name of the consumer of InStream through which a node reads its messages.
func InConsumer(nodeID string) string { return id.Key(nodeID) }

// NodeOf is the node whose subject this is. It fails for a subject of no node.
func NodeOf(subject string) (string, error) {
	rest, ours := strings.CutPrefix(subject, root)
	key, _, more := strings.Cut(rest, ".")
	if !ours || !more {
		return "", fmt.Errorf("subject %q is of no node", subject)
	}
	return id.FromKey(key)
}
