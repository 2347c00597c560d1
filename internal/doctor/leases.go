package doctor

import (
	"context"
	"fmt"

	"oc-scheduler/store"
)

// leases lists the replicas that live.
func (e *exam) leases(ctx context.Context) {
	var shown, endless, endlessKeys []string
	approve := map[string][]string{} // replicas by what they do with new nodes
	for r, err := range store.ReadLeases(ctx, e.js) {
		switch {
		case err != nil:
			e.unreadable(err)
			return
		case r.Err != nil: // told with the other broken values
		case !r.HasTTL:
			endless, endlessKeys = append(endless, r.Key.ID()), append(endlessKeys, string(r.Key))
		default:
			if !r.Value.Draining { // its lease lasts longer than it does
				e.alive = append(e.alive, r.Key.ID())
				if does := r.Value.ApproveNodes; does != "" {
					approve[does] = append(approve[does], r.Key.ID())
				}
			}
			shown = append(shown, describe(r.Key.ID(), r.Value))
		}
	}
	if len(endless) > 0 {
		e.fail("a lease without TTL makes a replica seem alive for ever: "+some(endless),
			e.each("kv del replicas", endlessKeys, "-f")+"; a replica of that name that lives writes its own again")
	}
	if len(approve) > 1 {
		var each []string
		for does, replicas := range approve {
			each = append(each, does+" with "+some(replicas))
		}
		e.warn("--approve-nodes differs: "+some(each), "give every replica the same: whichever a new node meets decides")
	}
	if len(shown) == 0 {
		if !e.follows(e.hinders, "no replica lives") {
			e.warn("no replica lives", "start one: `oc-scheduler serve`")
		}
		return
	}
	e.ok("%s: %s", counted(len(shown), "replica"), some(shown))
}

func describe(id string, l store.Lease) string {
	text := fmt.Sprintf("%s %s at %s", id, l.Version, l.Address)
	if l.Draining {
		text += ", draining"
	}
	return text
}
