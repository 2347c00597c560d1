package booking

import (
	"context"
	"slices"
	"sync"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/queue"
)

const (
	// restTimes is how much longer than it has looked Risks rests, after restFrom at a stretch: it costs no more than a
	// tenth of a processor, and is late by no more than mostRest for that.
	restTimes = 9
	restFrom  = 5 * time.Millisecond
	mostRest  = 500 * time.Millisecond
)

// Risks knows which schedules have booked what a planner has too little for by now, as Get tells of one: it is worked
// out once after each change, for all who list or follow. It is safe for concurrent use.
type Risks struct {
	of    *Service
	peers *queue.Queue // to be looked at

	mu        sync.RWMutex
	byPeer    map[string]map[string]int64 // by schedule: which of what it has booked
	schedules map[string]int              // with how many peers
	listeners []func(scheduleID string)
}

// NewRisks follows what the views of a Service show from now on. It looks at that while Run runs.
func NewRisks(s *Service) *Risks {
	r := &Risks{of: s, peers: queue.New(), byPeer: map[string]map[string]int64{}, schedules: map[string]int{}}
	s.planners.OnChange(r.peers.Add)
	s.plan.OnBookings(r.peers.Add)
	return r
}

// Of says whether something of a schedule is at risk.
func (r *Risks) Of(scheduleID string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.schedules[scheduleID] > 0
}

// Tell is a schedule of a list, with whether something of it is at risk.
func (r *Risks) Tell(listed plan.Listed) plan.Listed {
	if !r.Of(listed.ID) {
		return listed
	}
	told := *listed
	told.AtRisk = true
	return &told
}

// OnChange adds a function that is called with each schedule of which something else is at risk than before, after Of
// tells. It is called from the goroutine of Run and must not block.
func (r *Risks) OnChange(f func(scheduleID string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners = append(slices.Clip(r.listeners), f)
}

// Run looks at peers until ctx ends; then it returns nil. The views must be running.
func (r *Risks) Run(ctx context.Context) error {
	defer r.peers.Stop()
	for _, loaded := range []<-chan struct{}{r.of.plan.Loaded(), r.of.planners.Loaded()} {
		select {
		case <-loaded:
		case <-ctx.Done():
			return nil
		}
	}
	var spent time.Duration
	for {
		peerID, ok := r.peers.Next(ctx)
		if !ok {
			return nil
		}
		began := time.Now()
		r.look(peerID)
		r.peers.Done(peerID)
		if spent += time.Since(began); spent > restFrom {
			_ = kv.Sleep(ctx, min(restTimes*spent, mostRest))
			spent = 0
		}
	}
}

// look finds what is at risk with a peer, and when that will be over by itself.
func (r *Risks) look(peerID string) {
	now := r.of.plan.Now()
	risks, over := r.of.risks(peerID, now)
	if len(risks) > 0 {
		r.peers.AddAfter(peerID, over.Sub(now)+time.Millisecond)
	}
	changed, listeners := r.set(peerID, risks)
	for _, scheduleID := range changed {
		for _, f := range listeners {
			f(scheduleID)
		}
	}
}

func (r *Risks) set(peerID string, now map[string]int64) (changed []string, listeners []func(string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.byPeer[peerID]
	for id, which := range now {
		was, known := before[id]
		if !known {
			r.schedules[id]++
		}
		if !known || was != which {
			changed = append(changed, id)
		}
	}
	for id := range before {
		if _, still := now[id]; still {
			continue
		}
		if changed = append(changed, id); r.schedules[id] == 1 {
			delete(r.schedules, id)
		} else {
			r.schedules[id]--
		}
	}
	if r.byPeer[peerID] = now; len(now) == 0 {
		delete(r.byPeer, peerID)
	}
	return changed, r.listeners
}

// risks is what schedules have booked of a peer's instances that have too little for it, by schedule, and when the first
// of it, or of the holds beside it, is over.
func (s *Service) risks(peerID string, now time.Time) (risks map[string]int64, over time.Time) {
	taken, x := s.plan.Taken(peerID), s.index(peerID)
	if x == nil {
		return nil, over // nobody knows
	}
	byRef := map[planner.Ref][]*planner.Slot{}
	at, first := now.UnixNano(), now.Add(time.Hour).UnixNano()
	for _, b := range taken {
		for i := range b.Slots {
			if s := &b.Slots[i]; s.End > at && b.Until > at {
				byRef[b.On] = append(byRef[b.On], s)
				first = min(first, s.End, b.Until)
			}
		}
	}
	risks = map[string]int64{}
	for ref, slots := range byRef {
		in := x.Resource(ref.ResourceID).Instance(ref.InstanceID)
		_ = s.plan.Look(plan.Question{At: at}, func(of func(string) planner.Bookings) error {
			standing := of(peerID)
			if in != nil && enough(in, slots, standing) {
				return nil
			}
			for _, slot := range slots {
				if schedule.OfSchedule.Is(slot.Owner) && (in == nil || short(in, slot, standing)) {
					risks[slot.Owner] += slot.Start
				}
			}
			return nil
		})
	}
	return risks, time.Unix(0, first)
}

// enough says whether an instance has enough at all times of all that slots take of it: one question for each dimension.
// Of those that take it wholly each has to be asked about.
func enough(in *planner.Instance, slots []*planner.Slot, standing planner.Bookings) bool {
	span, dimensions := slots[0].Interval, map[string]planner.Amount{}
	for _, s := range slots {
		if s.Whole {
			return false
		}
		span = planner.Interval{Start: min(span.Start, s.Start), End: max(span.End, s.End)}
		for _, q := range s.Usage {
			dimensions[q.Dimension] = max(dimensions[q.Dimension], q.Amount)
		}
	}
	for dimension, amount := range dimensions {
		if amount > 0 && in.MaxUse(dimension, span, standing) > in.Capacity(dimension) {
			return false
		}
		if amount > in.Capacity(dimension) {
			return false
		}
	}
	return true
}
