package booking_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// sequence does things to a plan and to its twin.
type sequence struct {
	*twin
	*testing.T
	rnd   *rand.Rand
	fleet []*replica
	first time.Time
	was   map[string]bool // keys of holds that were confirmed: they stay as long as they would have
}

// workflows are what is booked: gigabytes, and of which peers; one may be named twice.
var workflows = map[string]wanted{
	"one": {size: 1, peers: []string{"p"}}, "three": {size: 3, peers: []string{"p"}}, "pair": {size: 2, peers: []string{"p", "p"}},
	"both": {size: 2, peers: []string{"p", "q"}}, "all": {size: 4, peers: []string{"q"}},
}

// TestAPlanIsAsItsTwin whatever is booked, held, confirmed, cancelled, displaced, and whatever becomes of planners, at
// whichever replica: the same is refused, the same is taken of the same instances, never more than there is, and
// nothing is left once all was given back.
func TestAPlanIsAsItsTwin(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	s := &sequence{
		twin: &twin{has: map[string]map[string]int{}}, T: t, first: tomorrow().Truncate(time.Hour), was: map[string]bool{},
		fleet: []*replica{newReplica(t, server.JetStream(t), 1), newReplica(t, server.JetStream(t), 1)},
	}
	seed := rand.Uint64()
	s.rnd = rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for name, w := range workflows {
		needs(t, name, w.size, w.peers, s.fleet...)
	}
	s.change("p", map[string]int{"i": 4, "j": 4})
	s.change("q", map[string]int{"i": 4})
	for n := 0; n < steps && !t.Failed(); n++ {
		s.step(n)
		s.compare()
	}
	for _, o := range s.owners {
		s.giveBack(o)
	}
	s.compare()
	s.nothingIsLeft()
}

// some is any of the replicas.
func (s *sequence) some() *replica { return s.fleet[s.rnd.IntN(len(s.fleet))] }

func (s *sequence) step(n int) {
	switch what := s.rnd.IntN(20); {
	case what < 9:
		s.book()
	case what < 11:
		s.hold(900)
	case what < 12 && n%4 == 0: // it takes its time
		s.expire()
	case what < 17:
		if len(s.owners) > 0 {
			o := s.owners[s.rnd.IntN(len(s.owners))]
			if o.hold && s.rnd.IntN(2) == 0 {
				s.confirm(o)
			} else {
				s.giveBack(o)
			}
		}
	case what < 18:
		s.change("p", map[string]int{"i": s.rnd.IntN(6), "j": 2 + s.rnd.IntN(3)})
	case what < 19:
		s.change("p", map[string]int{"i": 4}) // the node of the other one is lost
	default:
		s.change("q", map[string]int{"i": 2 + s.rnd.IntN(3)})
	}
}

// change has a planner tell something else.
func (s *sequence) change(peer string, capacities map[string]int) {
	s.has[peer] = capacities
	has(s, peer, capacities, s.fleet...)
}

// ask is a request for any of the workflows at any time of a day, which may come again, as body and as what it wants.
func (s *sequence) ask(more string) (workflowID, body string, wants []wanted, displaces bool) {
	names := []string{"one", "three", "pair", "both", "all"}
	workflowID = names[s.rnd.IntN(len(names))]
	w, times := workflows[workflowID], 1
	w.start = s.first.Add(time.Duration(s.rnd.IntN(12)) * tick)
	if strings.Contains(more, "cron") {
		times = 3
		w.start = w.start.Truncate(time.Hour)
	}
	for range times {
		w.end = w.start.Add(time.Hour)
		wants = append(wants, w)
		w.start = w.end
	}
	if displaces = s.rnd.IntN(3) == 0; displaces {
		more += takes
	}
	return workflowID, fmt.Sprintf(`{"start":%q,"duration_s":3600%s}`, wants[0].start.Format(time.RFC3339), more), wants, displaces
}

// expect is what the twin makes of what is wanted: which times are had, where, and who gives way.
func (s *sequence) expect(o *owner, wants []wanted, displaces, all bool) (fits bool) {
	s.owners = append(s.owners, o)
	var gone []*occasion
	failed := 0
	for _, want := range wants {
		instances, away, fits := []string(nil), []*occasion(nil), false
		if displaces {
			instances, away, fits = s.preempt(want, o.id)
		} else {
			instances, fits = s.place(want, holding)
		}
		time := &occasion{start: want.start, end: want.end, state: schedule.Conflict}
		if o.times = append(o.times, time); !fits {
			failed++
			continue
		}
		time.state = schedule.Booked
		for _, g := range away {
			g.state = schedule.Displaced
		}
		gone = append(gone, away...)
		for n, on := range instances {
			time.taken = append(time.taken, schedule.Taken{
				ID: "new", Place: schedule.Place{PeerID: want.peers[n], ResourceID: "r", InstanceID: on},
				Start: want.start, End: want.end, Usage: fmt.Appendf(nil, `{"ram_gb":%d}`, want.size),
			})
		}
	}
	if failed < len(wants) && (failed == 0 || !all) {
		return true
	}
	for _, g := range gone {
		g.state = schedule.Booked
	}
	s.owners = s.owners[:len(s.owners)-1]
	return false
}

// had takes over what was booked, which has to be where the twin has it.
func (o *owner) had(s *sequence, n int, taken []schedule.Taken) {
	for i, t := range taken {
		if i >= len(o.times[n].taken) || t.Place != o.times[n].taken[i].Place {
			s.Fatalf("%s has %+v, want %+v", o.id, taken, o.times[n].taken)
		}
	}
	o.times[n].taken = taken
	if much := s.tooMuch(taken); much != "" {
		s.Errorf("%s: too much is taken, %s", o.id, much)
	}
}

func (s *sequence) book() {
	more, o := "", &owner{}
	if o.yields = s.rnd.IntN(2) == 0; o.yields {
		more += yields
	}
	all := s.rnd.IntN(2) == 0
	if s.rnd.IntN(4) == 0 {
		more += `,"cron":"0 * * * *","count":3`
		if all {
			more += `,"all_or_nothing":true`
		}
	}
	workflowID, body, wants, displaces := s.ask(more)
	fits := s.expect(o, wants, displaces, all)
	made, err := s.some().Book(s.Context(), of(workflowID), ask(s, schedule.ScheduleBody, body))
	s.answered(workflowID+body, err, fits)
	if err != nil {
		return
	}
	o.id = made.ID
	for n := range made.Occurrences {
		if got := made.Occurrences[n].State; got != o.times[n].state {
			s.Fatalf("%s %s: time %d is %s, want %s", workflowID, body, n, got, o.times[n].state)
		}
		o.had(s, n, made.Occurrences[n].Bookings)
	}
}

// answered holds that an answer is as expected, and that a refusal tells why.
func (s *sequence) answered(asked string, err error, fits bool) {
	var taken *booking.TakenError
	switch {
	case err != nil && !errors.As(err, &taken), fits != (err == nil):
		s.Fatalf("%s: %v, while it fits: %t", asked, err, fits)
	case err != nil && taken.Result.Available:
		s.Errorf("%s is refused though %s", asked, taken.Result.JSON())
	}
}

func (s *sequence) hold(ttl int) *owner {
	o := &owner{hold: true}
	workflowID, body, wants, displaces := s.ask(fmt.Sprintf(`,"ttl_s":%d`, ttl))
	fits := s.expect(o, wants, displaces, true)
	made, err := s.some().Hold(s.Context(), of(workflowID), ask(s, schedule.HoldBody, body))
	s.answered(workflowID+body, err, fits)
	if err != nil {
		return nil
	}
	o.id = made.ID
	o.had(s, 0, made.Bookings)
	return o
}

// expire holds something until that ends by itself.
func (s *sequence) expire() {
	o := s.hold(1)
	if o == nil {
		return
	}
	s.forget(o)
	for _, r := range s.fleet {
		natstest.Eventually(s, "the hold ends", func() bool {
			_, err := r.GetHold(s.Context(), o.id)
			return errors.Is(err, booking.ErrNotFound) && slices.Equal(shown(r), s.taken())
		})
	}
}

func (s *sequence) forget(o *owner) {
	s.owners = slices.DeleteFunc(slices.Clone(s.owners), func(other *owner) bool { return other == o })
}

func (s *sequence) confirm(o *owner) {
	body := `{}`
	if o.yields = s.rnd.IntN(2) == 0; o.yields {
		body = `{"preemptible":true}`
	}
	made, err := s.some().Confirm(s.Context(), o.id, me, ask(s, schedule.ConfirmBody, body))
	if err != nil {
		s.Fatalf("%s can't be confirmed: %v", o.id, err)
	}
	s.was["hold."+o.id] = true
	o.id, o.hold = made.ID, false
}

func (s *sequence) giveBack(o *owner) {
	var err error
	if o.hold {
		err = s.some().ReleaseHold(s.Context(), o.id, "me")
	} else {
		err = s.some().Cancel(s.Context(), o.id, "me")
	}
	if err != nil {
		s.Errorf("%s can't be given back: %v", o.id, err)
	}
	s.forget(o)
}

// compare holds that each replica shows what the twin has.
func (s *sequence) compare() {
	want := s.taken()
	for _, r := range s.fleet {
		if err := r.st.Plan.Sync(s.Context()); err != nil {
			s.Fatal(err)
		}
		if got := shown(r); !slices.Equal(got, want) {
			s.Fatalf("the plan has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// shown is all that a replica shows to be taken, in the words of the twin.
func shown(r *replica) (list []string) {
	for _, peer := range []string{"p", "q"} {
		for _, t := range r.st.Plan.Taken(peer) {
			for _, slot := range t.Slots {
				list = append(list, fmt.Sprint(t.ID, " ", peer, "/", t.On.InstanceID, " ", slot.Start/1e9, "-", slot.End/1e9, " ", slot.Usage[0].Amount))
			}
		}
	}
	slices.Sort(list)
	return list
}

// nothingIsLeft of what was booked and held.
func (s *sequence) nothingIsLeft() {
	bucket, err := s.fleet[0].st.Plan.Stream().JetStream().KeyValue(s.Context(), "plan")
	if err != nil {
		s.Fatal(err)
	}
	keys, err := bucket.ListKeysFiltered(s.Context(), "booking.>", "hold.>", "due.>", "fired.>")
	if err != nil {
		s.Fatal(err)
	}
	for key := range keys.Keys() {
		if !s.was[key] {
			s.Errorf("%s is left", key)
		}
	}
}
