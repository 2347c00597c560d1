package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"oc-scheduler/store"
)

// offers looks at what the approved nodes of each peer offer.
func (e *exam) offers(ctx context.Context) {
	e.crews = map[string]string{}
	told := map[string]store.OfferRecord{}
	for r, err := range store.ReadOffers(ctx, e.js) {
		if err != nil {
			e.unreadable(err)
			return
		}
		if r.Err == nil { // else it is told with the other broken values
			told[r.Key.ID()] = r.Value
		}
	}
	var refused, lost []string
	for r, err := range store.ReadNodes(ctx, e.js) {
		if err != nil {
			e.unreadable(err)
			return
		}
		nodeID := r.Key.ID()
		_, offers := told[nodeID]
		if r.Err != nil || r.Value.Membership != store.Approved || !offers && !r.Value.TellsOffers {
			continue
		}
		e.crews[nodeID] = r.Value.PeerID()
		switch {
		case r.Value.OfferRefused != nil:
			refused = append(refused, nodeID+": "+r.Value.OfferRefused.Reason)
		case !offers && r.Value.State == store.NodeConnected:
			lost = append(lost, nodeID)
		}
	}
	twice := e.twice(told)
	if len(twice) > 0 {
		e.warn(fmt.Sprintf("%s that several nodes offer: %s", counted(len(twice), "instance"), some(twice)),
			"let one node offer each; meanwhile what the node with the least id offers counts")
	}
	if len(refused) > 0 {
		e.warn(fmt.Sprintf("%s with an offer that is refused: %s", counted(len(refused), "node"), some(refused)),
			"mend the node's configuration, and start it again")
	}
	if len(lost) > 0 {
		e.warn(fmt.Sprintf("%s without the offer that was told: %s", counted(len(lost), "connected node"), some(lost)),
			"each is asked to tell it again with its next heartbeat; else start it again")
	}
	if len(twice)+len(refused)+len(lost) == 0 {
		e.ok("%s, no instance is offered twice", counted(len(told), "offer"))
	}
}

// twice lists the instances that several nodes of one peer offer.
func (e *exam) twice(told map[string]store.OfferRecord) (list []string) {
	by := map[string][]string{}
	for _, nodeID := range slices.Sorted(maps.Keys(e.crews)) {
		offered, ok := told[nodeID]
		if !ok {
			continue
		}
		for _, ref := range offered.Refs() {
			instance := fmt.Sprintf("%s %s/%s", e.crews[nodeID], ref.ResourceID, ref.InstanceID)
			by[instance] = append(by[instance], nodeID)
		}
	}
	for instance, nodes := range by {
		if len(nodes) > 1 {
			list = append(list, instance+" by "+some(nodes))
		}
	}
	return list
}
