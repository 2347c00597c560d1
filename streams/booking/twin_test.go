package booking_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"oc-scheduler/store/schedule"
)

// twin is what a plan has to come to, by brute force: it looks at everything, one half hour after the other.
type twin struct {
	has    map[string]map[string]int // by peer and instance: gigabytes
	owners []*owner
}

// owner is a schedule or a hold, with all its times.
type owner struct {
	id     string
	hold   bool
	yields bool
	times  []*occasion
}

// occasion is a time of an owner, and what he takes then.
type occasion struct {
	start, end time.Time
	state      schedule.OccurrenceState
	taken      []schedule.Taken
}

// tick is what all starts and ends are multiples of.
const tick = 30 * time.Minute

// wanted is what is to be placed: so many gigabytes of each of some peers, at a time.
type wanted struct {
	size       int
	peers      []string
	start, end time.Time
}

// use is how many gigabytes are taken of an instance from a time on, for a tick.
func (w *twin) use(peer, instance string, at time.Time, counts func(*owner, *occasion) bool) (n int) {
	for _, o := range w.owners {
		for _, time := range o.times {
			for _, t := range time.taken {
				if t.PeerID == peer && t.InstanceID == instance && !at.Before(t.Start) && at.Before(t.End) && counts(o, time) {
					n += sizes[string(t.Usage)]
				}
			}
		}
	}
	return n
}

// sizes are the gigabytes of usage as it is written.
var sizes = map[string]int{`{"ram_gb":1}`: 1, `{"ram_gb":2}`: 2, `{"ram_gb":3}`: 3, `{"ram_gb":4}`: 4}

// place is where what is wanted goes, by item: the first instance that has enough beside what counts.
func (w *twin) place(want wanted, counts func(*owner, *occasion) bool) (instances []string, fits bool) {
	more := map[string]int{} // by peer/instance
	for _, peer := range want.peers {
		on := ""
		for _, instance := range slices.Sorted(maps.Keys(w.has[peer])) {
			enough := true
			for at := want.start; at.Before(want.end); at = at.Add(tick) {
				enough = enough && w.use(peer, instance, at, counts)+more[peer+"/"+instance]+want.size <= w.has[peer][instance]
			}
			if enough {
				on = instance
				break
			}
		}
		if on == "" {
			return nil, false
		}
		more[peer+"/"+on] += want.size
		instances = append(instances, on)
	}
	return instances, true
}

func holding(_ *owner, o *occasion) bool { return o.state == schedule.Booked }

// preempt is place where those who yield give way: the newest first, and no more than have to.
func (w *twin) preempt(want wanted, by string) (instances []string, gone []*occasion, fits bool) {
	away := map[*occasion]bool{}
	counts := func(o *owner, time *occasion) bool { return holding(o, time) && !away[time] }
	if instances, fits = w.place(want, counts); fits {
		return instances, nil, true
	}
	var yielding []*owner // the oldest first
	newest := map[*owner]string{}
	for _, o := range w.owners {
		for _, time := range o.times {
			if !o.yields || o.id == by || !holding(o, time) {
				continue
			}
			for _, t := range time.taken {
				if w.meets(want, t) {
					newest[o] = max(newest[o], t.ID)
				}
			}
		}
	}
	yielding = slices.SortedFunc(maps.Keys(newest), func(a, b *owner) int {
		return cmp.Or(strings.Compare(newest[a], newest[b]), strings.Compare(a.id, b.id))
	})
	give := func(o *owner, all bool) {
		for _, time := range o.times {
			if holding(o, time) && (!all || time.start.Before(want.end) && time.end.After(want.start)) {
				away[time] = all
			}
		}
	}
	for _, o := range yielding {
		give(o, true)
	}
	if _, fits = w.place(want, counts); !fits {
		return nil, nil, false
	}
	for _, o := range yielding {
		give(o, false)
		if _, fits := w.place(want, counts); !fits {
			give(o, true)
		}
	}
	for _, o := range yielding {
		for _, time := range o.times {
			if !away[time] {
				continue
			}
			away[time] = false
			if _, fits := w.place(want, counts); !fits {
				away[time] = true
				gone = append(gone, time)
			}
		}
	}
	instances, fits = w.place(want, counts)
	return instances, gone, fits
}

// meets says whether something is taken where and when something is wanted.
func (w *twin) meets(want wanted, t schedule.Taken) bool {
	_, there := w.has[t.PeerID][t.InstanceID]
	return there && slices.Contains(want.peers, t.PeerID) && t.Start.Before(want.end) && t.End.After(want.start)
}

// taken is all that is taken, in words.
func (w *twin) taken() []string {
	sum := map[string]int{}
	for _, o := range w.owners {
		for _, time := range o.times {
			for _, t := range time.taken {
				if holding(o, time) {
					sum[fmt.Sprint(t.ID, " ", t.PeerID, "/", t.InstanceID, " ", t.Start.Unix(), "-", t.End.Unix())] += sizes[string(t.Usage)]
				}
			}
		}
	}
	var list []string
	for what, n := range sum {
		list = append(list, fmt.Sprint(what, " ", n))
	}
	slices.Sort(list)
	return list
}

// tooMuch says where more is taken, of what was just placed, than there is.
func (w *twin) tooMuch(taken []schedule.Taken) string {
	for _, t := range taken {
		for at := t.Start; at.Before(t.End); at = at.Add(tick) {
			if n := w.use(t.PeerID, t.InstanceID, at, holding); n > w.has[t.PeerID][t.InstanceID] {
				return fmt.Sprintf("%d of %d of %s/%s at %v", n, w.has[t.PeerID][t.InstanceID], t.PeerID, t.InstanceID, at)
			}
		}
	}
	return ""
}
