package store

import (
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
)

// groupsHeader of a removed workflow's marker is the JSON list of the groups that it belonged to; without it, it
// was everybody's. For what hangs on the workflow (runs, schedules, holds) stands on, and is there for whoever
// sees what stands under that id.
const groupsHeader = "Oc-Groups"

const (
	unknownGroups  = "?"      // in place of a list that is not known, or too long
	maxGroupsBytes = 32 << 10 // of a list: the server takes 64 KiB of headers
)

// groupsOf are the groups of what stands under an id or, where nothing does, stood there last. It fails where they
// cannot be read.
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
func tombstone(workflowID string, last kv.Message, src origin.Source) *kv.Write {
	h := src.Header()
	groups, err := groupsOf(workflowID, last)
	if err == nil && len(groups) == 0 {
		return &kv.Write{Marker: true, Header: h}
	}
	list, failed := json.Marshal(groups)
	if err != nil || failed != nil || len(list) > maxGroupsBytes {
		list = []byte(unknownGroups)
	}
	if h == nil {
		h = nats.Header{}
	}
	h.Set(groupsHeader, string(list))
	return &kv.Write{Marker: true, Header: h}
}
