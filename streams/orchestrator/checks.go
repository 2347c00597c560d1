package orchestrator

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/id"
	"oc-scheduler/streams/nclprotocol"
)

// Bounds of what a node may tell. All of it is kept, and shown to everybody.
const (
	maxInfo    = 64 << 10 // bytes of a node's info
	maxLabels  = 64
	maxLabel   = 1 << 10 // bytes of a label's value
	maxAmounts = 64      // of what is free, or queued
	maxName    = 128     // bytes, of a label or an amount
)

// encodeInfo is what a node told, as it is kept: without what changes with each heartbeat.
func encodeInfo(n nclprotocol.NodeInfo) (json.RawMessage, error) {
	if err := errors.Join(checkOptional("peer_id", n.PeerID), checkLabels(n.Labels), checkAmounts(n.Free, n.Queued)); err != nil {
		return nil, err
	}
	n.Free, n.Queued = nil, nil
	info, err := json.Marshal(n)
	if err == nil && len(info) > maxInfo {
		err = fmt.Errorf("node_info has %d bytes, at most %d are allowed", len(info), maxInfo)
	}
	return info, err
}

func checkLabels(labels map[string]string) error {
	if len(labels) > maxLabels {
		return fmt.Errorf("%d labels, at most %d are allowed", len(labels), maxLabels)
	}
	for name, value := range labels {
		if len(name) > maxName || len(value) > maxLabel {
			return fmt.Errorf("label %.32q has %d bytes, and its value %d; at most %d and %d are allowed", name, len(name), len(value), maxName, maxLabel)
		}
	}
	return nil
}

// checkAmounts checks what comes with each heartbeat.
func checkAmounts(free, queued nclprotocol.Amounts) error {
	for _, amounts := range []nclprotocol.Amounts{free, queued} {
		if len(amounts) > maxAmounts {
			return fmt.Errorf("%d amounts free or queued, at most %d are allowed", len(amounts), maxAmounts)
		}
		for name, n := range amounts {
			if len(name) > maxName || math.IsNaN(n) || math.IsInf(n, 0) {
				return fmt.Errorf("amount %.32q of %v: the name has %d bytes, at most %d are allowed", name, n, len(name), maxName)
			}
		}
	}
	return nil
}

// checkChange says what of an event can't be stored, however often that is tried.
func checkChange(e *nclprotocol.ExecutionChanged) error {
	if err := id.Check(e.ExecutionID); err != nil {
		return fmt.Errorf("execution_id: %w", err)
	}
	if !execution.State(e.State).Known() {
		return fmt.Errorf("execution %q is in the unknown state %.64q", e.ExecutionID, e.State)
	}
	if !isTime(e.At) {
		return errors.New("at has no year of four digits")
	}
	return errors.Join(checkOptional("booking_id", e.BookingID), checkOptional("workflow_id", e.WorkflowID))
}

func checkOptional(what, of string) error {
	if of == "" {
		return nil
	}
	if err := id.Check(of); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// isTime says whether a time can be stored, in UTC: RFC 3339 knows years of four digits.
func isTime(t time.Time) bool {
	year := t.UTC().Year()
	return 0 <= year && year <= 9999
}
