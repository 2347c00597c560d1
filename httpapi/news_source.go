package httpapi

import (
	"encoding/json"
	"errors"
	"sync"

	"oc-scheduler/httpapi/carry"
)

// asked is a message of a page.
type asked struct {
	Output string `json:"output"` // an execution; empty: a sign of life is enough
	Offset uint64 `json:"offset"`
}

// news is what a page is told: that what it shows has changed, and what an execution says.
type news struct {
	changed carry.Source
	follow  func(asked) carry.Source // nil: no output is told of
	wake    func()

	mu     sync.Mutex
	asked  bool         // for a sign of life
	output carry.Source // nil: none is told of
}

// OnWake implements carry.Source.
func (n *news) OnWake(wake func()) {
	n.wake = wake
	n.changed.OnWake(wake)
}

// Poll implements carry.Source.
func (n *news) Poll() (f carry.Frame, ok bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked {
		n.asked = false
		f, ok = carry.Frame{Data: []byte(`{"type":"live"}`)}, true
	}
	if !ok {
		f, ok, err = n.changed.Poll()
	}
	if !ok && err == nil && n.output != nil {
		f, ok, err = n.output.Poll()
		if errors.Is(err, carry.Done) {
			n.stop()
			err = nil
		}
	}
	if ok {
		n.wake() // there may be more of another kind
	}
	return f, ok, err
}

// Take implements carry.Conversation.
func (n *news) Take(message []byte) error {
	var a asked
	if err := json.Unmarshal(message, &a); err != nil {
		return errNoNews
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = true
	if a.Output != "" && n.follow != nil {
		n.stop()
		n.output = n.follow(a)
		n.output.OnWake(n.wake)
	}
	n.wake()
	return nil
}

// Close implements carry.Source.
func (n *news) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changed.Close()
	n.stop()
	n.follow = nil
}

// stop tells nothing more of an output.
func (n *news) stop() {
	if n.output != nil {
		n.output.Close()
		n.output = nil
	}
}
