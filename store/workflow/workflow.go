// Package workflow reads workflows: what has to run, on which resources of which peers, in which
// order. A Workflow is immutable once decoded, so any number of goroutines may read it, and it keeps
// what decisions need, not the document. The package is pure: no I/O, no goroutine, no clock.
package workflow

import (
	"encoding/json"
	"time"

	"oc-scheduler/store/planner"
)

// Kind is what an item of a workflow's graph is. It is spelled as in the document.
type Kind string

// The kinds of items. Only compute and storage items need room on a peer; only processing items
// last a time of their own.
const (
	Processing Kind = "processing"
	Compute    Kind = "compute"
	Storage    Kind = "storage"
	Data       Kind = "data"
	Nested     Kind = "workflow"
)

// Need is what one compute or storage item asks of one resource.
type Need struct {
	ItemID     string
	Kind       Kind // Compute or Storage
	ResourceID string
	PeerID     string
	Whole      bool               // a whole instance: nothing else on it in the window
	Demand     []planner.Quantity // by dimension, rounded up, zeros dropped; empty fits any instance
	Written    json.RawMessage    `json:",omitempty"` // the demand as it stands in the document; none for a whole instance; read only
	Span       Span               // when its processing items run
}

// Workflow is a valid workflow.
type Workflow struct {
	id, name string
	needs    []Need
	steps    []Step
	peers    []string
	duration time.Duration
	lasts    bool // some processing item gives a duration
	digest   [16]byte
	groups   []string
}

// ID is the workflow's identifier.
func (w *Workflow) ID() string { return w.id }

// Name is the title that people gave it; it may be empty.
func (w *Workflow) Name() string { return w.name }

// Needs lists the compute and storage items by item id (byte order). The list is shared: read only.
func (w *Workflow) Needs() []Need { return w.needs }

// Steps lists the processing items by when they start, each after those that lead to it, and else by item id.
// The list is shared: read only.
func (w *Workflow) Steps() []Step { return w.steps }

// Peers lists the peers that the needs name, sorted, each once. The list is shared: read only.
func (w *Workflow) Peers() []string { return w.peers }

// Duration is the longest path through the linked processing items; an item without duration counts
// as 0. It is false when no item gives a duration.
func (w *Workflow) Duration() (time.Duration, bool) { return w.duration, w.lasts }

// Digest names the workflow's meaning: id, name, items and links. Layout, the order of members and
// unknown members don't count. It is stable across processes.
func (w *Workflow) Digest() [16]byte { return w.digest }
