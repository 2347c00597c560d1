package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/httpapi/live"
	"oc-scheduler/store/access"
	"oc-scheduler/store/fault"
)

// asked is a message of a page.
type asked struct {
	Query  *string `json:"query"`  // of the page's address; nil: it stays
	Output string  `json:"output"` // an execution; empty: a sign of life is enough
	Offset uint64  `json:"offset"`
}

// news is what a page is told: what it shows, and what an execution says.
type news struct {
	at     func(query string) (*live.Looker, error)
	pace   *pace                    // of queries; nil: none
	follow func(asked) carry.Source // nil: no output is told of
	wake   func()

	mu      sync.Mutex
	closed  bool
	asked   bool   // for a sign of life
	refused []byte // to be told; nil: nothing is
	view    *live.Looker
	output  carry.Source // nil: none is told of
}

// OnWake implements carry.Source.
func (n *news) OnWake(wake func()) {
	n.wake = wake
	n.view.OnWake(wake)
}

// Poll implements carry.Source.
func (n *news) Poll() (f carry.Frame, ok bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.asked:
		n.asked = false
		f, ok = carry.Frame{Data: []byte(`{"type":"live"}`)}, true
	case n.refused != nil:
		f, ok = carry.Frame{Data: n.refused}, true
		n.refused = nil
	default:
		f, ok, err = n.view.Poll()
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
	var view *live.Looker
	var refused []byte
	if a.Query != nil {
		var err error
		if view, err = n.turn(*a.Query); err != nil {
			if refused, err = say("refused", "why", inWords(err)); err != nil {
				return err
			}
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked, n.refused = true, refused
	if n.closed {
		if view != nil {
			view.Close()
		}
		return nil
	}
	if view != nil { // the new one came before the old one goes: who is watched for both is not let go of
		n.view.Close()
		n.view = view
		view.OnWake(n.wake)
	}
	if a.Output != "" && n.follow != nil {
		n.stop()
		n.output = n.follow(a)
		n.output.OnWake(n.wake)
	}
	n.wake()
	return nil
}

// turn looks at the page with another query.
func (n *news) turn(query string) (*live.Looker, error) {
	if n.pace != nil {
		if err := n.pace.take(access.Read, time.Now()); err != nil {
			return nil, err
		}
	}
	return n.at(query)
}

// inWords is why a query was not taken.
func inWords(err error) string {
	if faults := fault.List(nil); errors.As(err, &faults) {
		return faults.Error()
	}
	return cmp.Or(problemOf(err), errInternal).Detail
}

// Close implements carry.Source.
func (n *news) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.view.Close()
	n.stop()
	n.closed = true
}

// stop tells nothing more of an output.
func (n *news) stop() {
	if n.output != nil {
		n.output.Close()
		n.output = nil
	}
}
