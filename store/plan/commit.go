package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// Headers of markers.
const (
	HeaderLog      = "Oc-Log"      // of a hold's: what has become of it
	HeaderWorkflow = "Oc-Workflow" // likewise: what it was for
	HeaderBooking  = "Oc-Booking"  // of a booking's: what it was
	HeaderPassed   = "Oc-Passed"   // likewise: to whom it has passed
)

// Commit is what is to change together. It belongs to one goroutine.
type Commit struct {
	plan    *Plan
	batch   *kv.Batch
	errs    []error
	touched []schedule.Place // something is taken of
	owner   string           // who takes it
	by      string           // who acts
	passed  string           // to whom passes what is freed; empty: to nobody
	main    *record          // comes last
}

// record is a value that says, by standing there, that the commit was made.
type record struct {
	keys     *kv.Keys
	key      kv.Key
	revision uint64
	write    *kv.Write
}

// NewCommit begins a commit of a subject, which changes nothing yet.
func (p *Plan) NewCommit(by string) *Commit {
	return &Commit{plan: p, batch: p.stream.NewBatch(), by: by}
}

// By is the subject whose commit it is.
func (c *Commit) By() string { return c.by }

// Take has an owner take what a booking says, of an instance of which he has taken what stands at that
// revision; 0: nothing. It stands until its end.
func (c *Commit) Take(b schedule.Booking, revision uint64) {
	c.set(c.plan.bookings, BookingKey(b.Place, b.Owner()), revision, b, c.plan.until(b.End()))
	c.owner = b.Owner()
	if guarded && !slices.Contains(c.touched, b.Place) {
		c.touched = append(c.touched, b.Place)
	}
}

// Cut is Take of less than before.
func (c *Commit) Cut(b schedule.Booking, revision uint64) {
	c.set(c.plan.bookings, BookingKey(b.Place, b.Owner()), revision, b, c.plan.until(b.End()))
}

// Free has an owner take nothing of an instance any more. The booking is what stands at that revision; after Confirm it
// passes to the schedule.
func (c *Commit) Free(b schedule.Booking, revision uint64) {
	c.write(c.plan.bookings, BookingKey(b.Place, b.Owner()), revision, c.plan.Freed(b, c.passed))
}

// Schedule stores a schedule in the place of what stands at that revision; 0: nothing. Its log tells what has become
// of it.
func (c *Commit) Schedule(r *schedule.Record, revision uint64) {
	r.Note(c.by, c.plan.Now())
	c.last(c.plan.schedules, kv.KeyOf(r.ID), revision, r, lasts(r.State.Final()))
}

// Change stores a schedule of somebody else that changes with this, for a reason, in the place of what stands at that
// revision.
func (c *Commit) Change(r *schedule.Record, reason string, revision uint64) {
	r.NoteBecause(reason, c.by, c.plan.Now())
	c.set(c.plan.schedules, kv.KeyOf(r.ID), revision, r, lasts(r.State.Final()))
}

// Run stores a run that changes with this likewise.
func (c *Commit) Run(r *run.Record, revision uint64) {
	c.set(c.plan.runKeys, kv.KeyOf(r.ID), revision, r, lasts(r.State.Final()))
}

// Hold stores a hold likewise, until it ends.
func (c *Commit) Hold(h *schedule.HoldRecord, revision uint64) {
	h.Note(h.State, "", c.by, c.plan.Now())
	c.last(c.plan.holds, kv.KeyOf(h.ID), revision, h, c.plan.until(h.ExpiresAt))
}

// Confirm stores the schedule that a hold has become, which stands at that revision.
func (c *Commit) Confirm(r *schedule.Record, h *schedule.HoldRecord, revision uint64) {
	became := *h
	became.State, became.ScheduleID, became.Request, became.Workflow = schedule.Confirmed, &r.ID, nil, nil
	became.Note(became.State, "as schedule "+r.ID, c.by, c.plan.Now())
	c.set(c.plan.holds, kv.KeyOf(h.ID), revision, became, c.plan.until(h.ExpiresAt))
	c.Schedule(r, 0)
	c.passed = r.ID
}

// Release removes a hold that stands at that revision. The marker has its log: there may be nobody who has seen it
// yet.
func (c *Commit) Release(h *schedule.HoldRecord, revision uint64) {
	over := *h
	over.Note(schedule.Released, "", c.by, c.plan.Now())
	log, err := json.Marshal(over.Log)
	c.fail(err)
	gone := kv.Remove(max(c.plan.until(h.ExpiresAt), markerTTL))
	gone.Header = nats.Header{HeaderLog: {string(log)}, HeaderWorkflow: {h.WorkflowID}}
	c.main = &record{c.plan.holds, kv.KeyOf(h.ID), revision, gone}
}

// Timer wakes who looks after a schedule or a run at a time, in the place of the timer at that revision; 0: there
// is none.
func (c *Commit) Timer(id string, at time.Time, revision uint64) {
	c.write(c.plan.due, kv.KeyOf(id), revision, Timer(id, at))
}

// NoTimer ends the timer of that revision; 0: there is none.
func (c *Commit) NoTimer(id string, revision uint64) {
	if revision > 0 {
		c.write(c.plan.due, kv.KeyOf(id), revision, kv.Remove(time.Hour))
	}
}

// Handled removes a timer's message, which is that of a revision.
func (c *Commit) Handled(id string, revision uint64) {
	c.write(c.plan.fired, kv.KeyOf(id), revision, kv.Remove(time.Hour))
}

// Set changes a key of another kind.
func (c *Commit) Set(space *kv.Keys, key kv.Key, revision uint64, w *kv.Write) {
	c.write(space, key, revision, w)
}

// lasts is the TTL of a schedule or a run.
func lasts(final bool) time.Duration {
	if final {
		return KeptFor
	}
	return 0
}

// Freed is the marker of a booking that is freed before its end, and who has it now; empty: nobody. It tells what it
// was: there may be nobody who has seen that.
func (p *Plan) Freed(b schedule.Booking, passed string) *kv.Write {
	w := kv.Remove(max(p.until(b.End()), markerTTL))
	w.Header = nats.Header{}
	if passed != "" {
		w.Header.Set(HeaderPassed, passed)
	}
	b.Intervals = nil
	if data, err := json.Marshal(b); err == nil { // it was read from such
		w.Header.Set(HeaderBooking, string(data))
	}
	return w
}

// until is the TTL of what counts until a time. It lasts a little longer, so that it never ends before, whatever
// the clocks say: evaluations judge by the time.
func (p *Plan) until(t time.Time) time.Duration {
	return kv.WholeSeconds(t.Sub(p.Now()) + 500*time.Millisecond)
}

func (c *Commit) set(keys *kv.Keys, key kv.Key, revision uint64, value any, ttl time.Duration) {
	data, err := json.Marshal(value)
	c.fail(err)
	c.write(keys, key, revision, &kv.Write{Data: data, TTL: ttl})
}

func (c *Commit) last(keys *kv.Keys, key kv.Key, revision uint64, value any, ttl time.Duration) {
	data, err := json.Marshal(value)
	c.fail(err)
	c.main = &record{keys, key, revision, &kv.Write{Data: data, TTL: ttl}}
}

func (c *Commit) write(keys *kv.Keys, key kv.Key, revision uint64, w *kv.Write) {
	c.fail(c.batch.SetAt(keys, key, revision, w))
}

func (c *Commit) fail(err error) {
	if err != nil {
		c.errs = append(c.errs, fmt.Errorf("%w: %w", kv.ErrUnstorable, err))
	}
}

// seal adds the heads, as they were seen, and the record.
func (c *Commit) seal(heads map[kv.Key]uint64) error {
	for _, p := range c.touched {
		c.set(c.plan.heads, HeadKey(p), heads[HeadKey(p)], schedule.Head{By: c.owner}, KeptFor)
	}
	if m := c.main; m != nil {
		c.write(m.keys, m.key, m.revision, m.write)
	}
	return errors.Join(c.errs...)
}

// Replace stores a schedule, of which nothing has changed that is told, in the place of what stands at that revision.
// It fails with kv.ErrConflict, kv.ErrTooLarge or kv.ErrUnavailable.
func (p *Plan) Replace(ctx context.Context, r *schedule.Record, revision uint64) error {
	c := p.NewCommit(history.BySelf)
	c.Schedule(r, revision)
	if err := c.seal(nil); err != nil {
		return err
	}
	_, err := c.batch.Commit(ctx)
	return err
}
