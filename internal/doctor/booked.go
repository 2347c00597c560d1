package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// tardy is how long after its time something may still come about without a word; what is booked for less is not
// looked at either.
const tardy = time.Minute

// booked compares what schedules and holds say to have taken with what is booked.
func (e *exam) booked(ctx context.Context) {
	a, err := e.account(ctx)
	if err == nil && len(a.lacking)+len(a.stray) > 0 { // of what was just being changed one half may have been seen
		e.settle(ctx)
		before := a
		a, err = e.account(ctx)
		a.lacking, a.stray = both(a.lacking, before.lacking), both(a.stray, before.stray)
	}
	if err != nil {
		e.unreadable(err)
		return
	}
	if len(a.lacking) > 0 {
		e.warn(fmt.Sprintf("%s without the slots that the schedule or hold says to have: %s", counted(len(a.lacking), "booking"), some(a.lacking)),
			"others may take them: `oc-scheduler schedules cancel ID`, and book anew")
	}
	if len(a.stray) > 0 {
		e.warn(fmt.Sprintf("%s whose schedule or hold is gone, or has ended: %s", counted(len(a.stray), "booking"), some(a.stray)),
			e.each("kv del plan", a.keys(a.stray), "-f")+" frees what is taken")
	}
	if len(a.lacking)+len(a.stray) == 0 {
		e.ok("%s of %s, each as its schedule or hold says", counted(a.bookings, "booking"), counted(a.owners, "owner"))
	}
}

// account is how what is booked compares with who has booked it.
type account struct {
	owners, bookings int
	lacking, stray   []string // as "owner on peer resource/instance"
	strayKeys        map[string]string
}

func (a *account) keys(names []string) []string {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = a.strayKeys[name]
	}
	return keys
}

// account reads those who book first, and then what is booked.
func (e *exam) account(ctx context.Context) (a account, err error) {
	a.strayKeys = map[string]string{}
	from := e.Now().Add(tardy)
	l := ledger{from: from, live: map[string]bool{}, wanted: map[kv.Key]claimed{}}
	for r, err := range kv.Read(ctx, e.js, plan.Runs, plan.DecodeRun) {
		if err != nil {
			return a, err
		}
		if !r.Value.State.Final() { // it goes on though its schedule may have ended
			l.live[r.Value.ScheduleID] = true
		}
	}
	for r, err := range kv.Read(ctx, e.js, plan.Schedules, plan.DecodeSchedule) {
		if err != nil {
			return a, err
		}
		l.add(r.Key.ID(), r.Err != nil || !r.Value.State.Final(), r.Value.Bookings(from))
	}
	for r, err := range kv.Read(ctx, e.js, plan.Holds, plan.DecodeHold) {
		if err != nil {
			return a, err
		}
		l.add(r.Key.ID(), true, r.Value.Takes())
	}
	for r, err := range kv.Read(ctx, e.js, plan.Bookings, plan.DecodeBooking) {
		if err != nil {
			return a, err
		}
		if a.bookings++; r.Err != nil || !r.Value.End().After(from) {
			continue
		}
		if l.wanted[r.Key].in(&r.Value) {
			delete(l.wanted, r.Key)
		}
		if !l.live[r.Value.Owner()] {
			name := named(&r.Value)
			a.stray, a.strayKeys[name] = append(a.stray, name), "booking."+string(r.Key)
		}
	}
	for _, live := range l.live {
		if live {
			a.owners++
		}
	}
	for _, c := range l.wanted {
		a.lacking = append(a.lacking, c.name)
	}
	return a, nil
}

// ledger is who may have something booked, and what he says to have.
type ledger struct {
	from   time.Time // what ends before does not count
	live   map[string]bool
	wanted map[kv.Key]claimed
}

// claimed is what an owner says to have of an instance.
type claimed struct {
	name  string
	times [][2]int64
}

func (l *ledger) add(owner string, live bool, bookings []schedule.Booking) {
	l.live[owner] = l.live[owner] || live
	for i := range bookings {
		b := &bookings[i]
		c := claimed{name: named(b)}
		if !b.ExpiresAt.IsZero() && !b.ExpiresAt.After(l.from) {
			continue
		}
		for _, taken := range b.Intervals {
			if taken.End.After(l.from) {
				c.times = append(c.times, span(taken))
			}
		}
		l.wanted[plan.BookingKey(b.Place, owner)] = c
	}
}

// in says whether all of it is in a booking.
func (c claimed) in(b *schedule.Booking) bool {
	return !slices.ContainsFunc(c.times, func(want [2]int64) bool {
		return !slices.ContainsFunc(b.Intervals, func(has schedule.Interval) bool { return span(has) == want })
	})
}

func span(i schedule.Interval) [2]int64 { return [2]int64{i.Start.UnixNano(), i.End.UnixNano()} }

func named(b *schedule.Booking) string {
	return fmt.Sprintf("%s on %s %s/%s", b.Owner(), b.PeerID, b.ResourceID, b.InstanceID)
}
