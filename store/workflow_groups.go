package store

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
)

// groupsHeader of a removed workflow's marker is the JSON list of the groups that it belonged to; an empty one: it
// was everybody's. What hangs on the workflow goes on belonging to them: runs, and for a while what has ended. Other
// programs' markers do not say.
const groupsHeader = "Oc-Groups"

const (
	unknownGroups  = "?"      // in place of a list that is not known, or too long
	maxGroupsBytes = 32 << 10 // of a list: the server takes 64 KiB of headers
)

// groupsOf are the groups of what stands under an id or, where nothing does, stood there last. It fails where they
// cannot be read. Whose nobody has said is everybody's to put another one.
func groupsOf(workflowID string, last kv.Message) (groups []string, err error) {
	if last.Live() {
		stands, err := decodeWorkflow(kv.KeyOf(workflowID), last)
		if err != nil {
			return nil, err
		}
		return stands.Groups(), nil
	}
	list := last.Header.Get(groupsHeader)
	if list == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(list), &groups); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", kv.ErrUndecodable, groupsHeader, err)
	}
	return groups, nil
}

// tombstone is the removal of a workflow, of the event that removed it or that it came from. The id stays with
// the groups of what is last under it.
func tombstone(workflowID string, last kv.Message, from nats.Header) *kv.Write {
	w := &kv.Write{Marker: true, Header: from}
	if list := leftTo(workflowID, last); list != "" {
		w.Header = with(from, groupsHeader, list)
	}
	return w
}

// leftTo is what a marker says of whose a workflow was; empty: nobody knows.
func leftTo(workflowID string, last kv.Message) string {
	if !last.Live() {
		return last.Header.Get(groupsHeader)
	}
	groups, err := groupsOf(workflowID, last)
	if err == nil && len(groups) == 0 {
		return "[]"
	}
	list, failed := json.Marshal(groups)
	if err != nil || failed != nil || len(list) > maxGroupsBytes {
		return unknownGroups
	}
	return string(list)
}

func with(h nats.Header, name, value string) nats.Header {
	if h == nil {
		h = nats.Header{}
	}
	h.Set(name, value)
	return h
}

// heirs are the groups of workflows that were removed, by id.
type heirs struct {
	mu sync.RWMutex
	of map[string][]string
}

// note takes in what a marker says.
func (r *heirs) note(workflowID string, h nats.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, workflowID)
	if groups, err := groupsOf(workflowID, kv.Message{Header: h}); err == nil && h.Get(groupsHeader) != "" {
		r.of[workflowID] = groups
	}
}

func (r *heirs) get(workflowID string) (groups []string, known bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	groups, known = r.of[workflowID]
	return groups, known
}

// GroupsOf are the groups of what hangs on a workflow: those that it belongs to or, once it was removed, belonged to.
// known is false where nobody knows.
func (w *Workflows) GroupsOf(workflowID string) (groups []string, known bool) {
	if e, ok := w.view.Get(workflowID); ok {
		return e.Value.Groups(), true
	}
	return w.heirs.get(workflowID)
}

// Shows says whether what hangs on a workflow is there for a subject.
func (w *Workflows) Shows(who *access.Subject, workflowID string) bool {
	if who.Everywhere() {
		return true
	}
	groups, known := w.GroupsOf(workflowID)
	return known && who.Sees(groups)
}
