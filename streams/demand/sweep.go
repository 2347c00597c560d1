package demand

import (
	"context"
	"maps"
	"math"
	"time"

	"oc-scheduler/store/kv"
)

const (
	// sweepEvery is how often the lists are compared with the leases.
	sweepEvery = 5 * time.Second
	// grace is how long the leases must have been in view before an absence counts: after an outage
	// of NATS every lease has run out, and each living replica needs a moment to renew its own.
	grace = 12 * time.Second
)

// sweepLoop takes dead replicas out of the lists, puts this one where it is missing, and finishes ends that their
// replica did not.
func (s *Service) sweepLoop(ctx context.Context) {
	tick := time.NewTicker(s.pace.sweepEvery)
	defer tick.Stop()
	var steady time.Duration // for how long the leases have been in view
	idle := idleLists{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !s.store.Leases.View().Current() || !s.store.Interest.View().Current() {
			steady = 0
			continue
		}
		if steady += s.pace.sweepEvery; steady < s.pace.grace {
			continue
		}
		if err := s.sweep(ctx, idle); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "sweep of interest failed, trying again", "error", err)
		}
	}
}

// idleLists are the empty lists, and since when this replica sees them unchanged: no clock but its own
// says that their replicas have died.
type idleLists map[string]idleList

type idleList struct {
	revision uint64
	since    time.Time
}

// age is for how long a list has been empty.
func (l idleLists) age(list kv.Item[[]string]) time.Duration {
	if len(list.Value) > 0 {
		delete(l, list.ID)
		return 0
	}
	if l[list.ID].revision != list.Revision {
		l[list.ID] = idleList{list.Revision, time.Now()}
	}
	return time.Since(l[list.ID].since)
}

// keep forgets the lists that are there no more.
func (l idleLists) keep(there func(peerID string) bool) {
	maps.DeleteFunc(l, func(peerID string, _ idleList) bool { return !there(peerID) })
}

func (s *Service) sweep(ctx context.Context, idle idleLists) error {
	for _, peerID := range s.wants.taken() {
		if !s.listed(peerID) { // the list was lost before the view showed it, so that no change told of it
			s.InterestChanged(peerID)
		}
	}
	idle.keep(func(peerID string) bool { _, ok := s.store.Interest.View().Get(peerID); return ok })
	for _, list := range s.store.Interest.View().Page("", math.MaxInt) {
		if err := s.sweepList(ctx, list, idle.age(list)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sweepList(ctx context.Context, list kv.Item[[]string], idle time.Duration) error {
	for _, replica := range list.Value {
		if _, alive := s.store.Leases.View().Get(replica); alive || replica == s.replicaID {
			continue
		}
		end, err := s.store.Interest.Remove(ctx, list.ID, replica)
		if err != nil {
			return err
		}
		s.log.InfoContext(ctx, "interest of a dead replica removed", "peer_id", list.ID, "replica", replica, "last", end != "")
		if end != "" {
			return s.end(ctx, list.ID, end)
		}
	}
	if idle <= s.pace.grace {
		return nil
	}
	// Its replica died between the empty list and the end, or could not reach the planners.
	end, err := s.store.Interest.TakeOver(ctx, list.ID, list.Revision)
	if err != nil || end == "" {
		return err
	}
	return s.end(ctx, list.ID, end)
}
