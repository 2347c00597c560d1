package doctor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/doctor"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// desk is where things are booked in a ward, past all rules.
type desk struct {
	*ward
	start time.Time // of what is booked, an hour long
}

// TestBookings compares what owners say to have with what is booked.
func TestBookings(t *testing.T) {
	t.Parallel()
	w := admit(t)
	d := desk{w, time.Now().UTC().Add(time.Hour)}
	id := func(of schedule.Prefix) string { return w.st.Plan.NewID(of) }

	well, cancelled, running := id(schedule.OfSchedule), id(schedule.OfSchedule), id(schedule.OfSchedule)
	held := id(schedule.OfHold)
	d.schedule(well, "active", "booked", "i0", "i1")
	d.book(well, "i0", 0)
	d.book(well, "i1", 0)
	d.timer(well, d.start)
	d.schedule(cancelled, "cancelled", "cancelled", "i0")
	d.schedule(running, "ended", "running", "i0")
	d.run(id(schedule.OfRun), running, "running", d.start, d.start)
	d.book(running, "i0", 0)
	d.put(t, "plan", "hold."+held, fmt.Sprintf(`{"id":%q,"workflow_id":"w","state":"held","expires_at":%q,"bookings":[%s]}`, held, d.at(1), d.taken(held, "i0")))
	d.book(held, "i0", 0)
	found := doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.OK, "bookings", "4 bookings of 3 owners, each as")
	want(t, found, doctor.OK, "runs", "1 timer, 1 run to end, none is late")

	moved, bare, gone, lost := id(schedule.OfSchedule), id(schedule.OfSchedule), id(schedule.OfSchedule), id(schedule.OfHold)
	d.schedule(moved, "active", "booked", "i0")
	d.book(moved, "i0", time.Minute)
	d.schedule(bare, "active", "booked", "i0")
	d.book(gone, "i0", 0)
	d.book(cancelled, "i2", 0)
	d.book(lost, "i0", 0)
	d.put(t, "plan", "schedule."+id(schedule.OfSchedule), "junk")
	found = doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.Warn, "bookings", "2 bookings without the slots", moved+" on p r/i0", bare+" on p r/i0")
	stray := want(t, found, doctor.Warn, "bookings", "3 bookings whose schedule or hold is gone, or has ended", gone+" on p r/i0", cancelled+" on p r/i2", lost+" on p r/i0")
	if !holds(stray.Mend, []string{"booking.p.r.i0." + gone, "booking.p.r.i2." + cancelled}) {
		t.Errorf("%s", stray.Mend)
	}
}

// TestWhatIsDue is looked at as by a clock that goes ahead: nobody handles timers here.
func TestWhatIsDue(t *testing.T) {
	t.Parallel()
	w := admit(t)
	d := desk{w, time.Now().UTC().Add(time.Hour)}
	id := func(of schedule.Prefix) string { return w.st.Plan.NewID(of) }

	unfired, unhandled, asleep := id(schedule.OfSchedule), id(schedule.OfSchedule), id(schedule.OfSchedule)
	for _, s := range []string{unfired, unhandled, asleep} {
		d.schedule(s, "active", "pending")
	}
	d.timer(unfired, d.start)
	d.timer(unhandled, time.Now().Add(-time.Second))
	stream, err := w.js.Stream(t.Context(), "KV_plan")
	if err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "it has fired", func() bool {
		_, err := stream.GetLastMsgForSubject(t.Context(), "$KV.plan.fired."+unhandled)
		return err == nil
	})
	begin, end, fine := id(schedule.OfRun), id(schedule.OfRun), id(schedule.OfRun)
	d.run(begin, "", "scheduled", d.start, d.start)
	d.run(end, "", "running", d.start.Add(-time.Hour), d.start)
	d.run(fine, "", "running", d.start.Add(-time.Hour), d.start.Add(time.Hour))
	d.timer(begin, d.start)

	w.cfg.Now = func() time.Time { return d.start.Add(2 * time.Minute) }
	found := doctor.Run(t.Context(), w.cfg)
	want(t, found, doctor.Fail, "runs", "2 timers long due that NATS has not let fire: ", begin, unfired)
	want(t, found, doctor.Warn, "runs", "1 timer that fired and that nobody has handled: "+unhandled)
	want(t, found, doctor.Warn, "runs", "1 schedule or run that no timer wakes: "+asleep)
	want(t, found, doctor.Warn, "runs", "2 runs that should have moved: ", begin+", scheduled at ", end+", running at ")

	w.cfg.Now = nil
	found = doctor.Run(t.Context(), w.cfg)
	if f := want(t, found, doctor.Warn, "runs", "no timer wakes"); f.What != "1 schedule or run that no timer wakes: "+asleep || len(all(found, doctor.Fail)) > 0 {
		t.Errorf("%s", list(found))
	}
}

// at is a time so many hours after the start.
func (d desk) at(hours int) string {
	return d.start.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339Nano)
}

func (d desk) taken(owner, instance string) string {
	return fmt.Sprintf(`{"id":"oc-1","item_id":"n","peer_id":"p","resource_id":"r","instance_id":%q,"start":%q,"end":%q}`, instance, d.at(0), d.at(1))
}

// schedule writes one with an occurrence that has taken these instances.
func (d desk) schedule(id, state, occurrence string, instances ...string) {
	d.t.Helper()
	all := ""
	for i, instance := range instances {
		if i > 0 {
			all += ","
		}
		all += d.taken(id, instance)
	}
	d.put(d.t, "plan", "schedule."+id, fmt.Sprintf(`{"id":%q,"workflow_id":"w","state":%q,"occurrences":[{"start":%q,"end":%q,"state":%q,"bookings":[%s]}]}`,
		id, state, d.at(0), d.at(1), occurrence, all))
}

// book writes what an owner takes of an instance, some time later than he says.
func (d desk) book(owner, instance string, later time.Duration) {
	d.t.Helper()
	whose, expires := "schedule_id", ""
	if schedule.OfHold.Is(owner) {
		whose, expires = "hold_id", fmt.Sprintf(`"expires_at":%q,`, d.at(1))
	}
	from := d.start.Add(later)
	d.put(d.t, "plan", "booking.p.r."+instance+"."+owner, fmt.Sprintf(`{"id":%q,%q:%q,%s"workflow_id":"w","peer_id":"p","resource_id":"r","instance_id":%q,"intervals":[{"start":%q,"end":%q,"item_id":"n"}]}`,
		d.st.Plan.NewID(schedule.OfBooking), whose, owner, expires, instance, from.Format(time.RFC3339Nano), from.Add(time.Hour).Format(time.RFC3339Nano)))
}

// run writes one of a schedule, of an hour; its only step waits for a node until a time.
func (d desk) run(id, scheduleID, state string, start, until time.Time) {
	d.t.Helper()
	text := func(at time.Time) string { return at.Format(time.RFC3339Nano) }
	d.put(d.t, "plan", "run."+id, fmt.Sprintf(`{"id":%q,"schedule_id":%q,"workflow_id":"w","state":%q,"start":%q,"end":%q,
		"steps":[{"item_id":"s","state":"running","executions":[{"execution_id":"x"}]}],
		"work":{"rooms":[{"item_id":"n"}],"tasks":[{"on":["n"],"tries":[{"on":"n","wait_till":%q}]}]}}`,
		id, scheduleID, state, text(start), text(start.Add(time.Hour)), text(until)))
}

func (d desk) timer(id string, at time.Time) {
	d.t.Helper()
	m := nats.NewMsg("$KV.plan.due." + string(kv.KeyOf(id)))
	m.Header = plan.Timer(id, at).Header
	if _, err := d.js.PublishMsg(d.t.Context(), m); err != nil {
		d.t.Fatal(err)
	}
}
