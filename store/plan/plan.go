package plan

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// Plan is the bucket of all that is booked, held and run, with this replica's views of it.
type Plan struct {
	*kv.Feed // of all views
	clock    *kv.Clock
	log      *slog.Logger
	stream   *kv.Stream

	schedules, bookings, holds, heads, due, fired, runKeys, claims *kv.Keys

	list   *kv.View[Listed]
	runs   *kv.View[ListedRun]
	booked *kv.View[*entry]
	headOf *kv.View[struct{}]
	held   *kv.View[ListedHold]
	taken  *standing

	records records
	timers  *timers
}

// New is the plan that a stream keeps; clock is the time of NATS. Its views are empty until Run has loaded them.
func New(of *kv.Stream, clock *kv.Clock, log *slog.Logger) *Plan {
	p := &Plan{
		log:  log.With("component", "plan"),
		Feed: kv.NewFeed(of), clock: clock, stream: of,
		schedules: of.Keys(Schedules), bookings: of.Keys(Bookings), holds: of.Keys(Holds), heads: of.Keys(Heads),
		due: of.Keys(Due), fired: of.Keys(Fired), runKeys: of.Keys(Runs), claims: of.Keys(Idempotency),
		taken: newStanding(), records: newRecords(), timers: newTimers(),
	}
	p.Show(Due, p.timers)
	p.list = kv.NewViewOf(p.Feed, p.schedules, kept(p.records, Schedules, decodeListed))
	p.runs = kv.NewViewOf(p.Feed, p.runKeys, kept(p.records, Runs, decodeListedRun))
	p.held = kv.NewViewOf(p.Feed, p.holds, kept(p.records, Holds, decodeListedHold))
	p.booked = kv.NewViewOf(p.Feed, p.bookings, decodeEntry)
	p.booked.OnValue(p.taken.replace)
	p.headOf = kv.NewViewOf(p.Feed, p.heads, exists)
	return p
}

// WorkflowOf is the workflow of a schedule or hold, as the views show it.
func (p *Plan) WorkflowOf(owner string) (workflowID string, ok bool) {
	if schedule.OfHold.Is(owner) {
		e, ok := p.held.Get(owner)
		return e.Value.WorkflowID, ok
	}
	e, ok := p.list.Get(owner)
	if !ok {
		return "", false
	}
	return e.Value.WorkflowID, true
}

// exists decodes what nobody wants to know more of than its revision.
func exists(kv.Key, kv.Message) (struct{}, error) { return struct{}{}, nil }

// OnBookings adds a function that is called with each peer with which something was booked, changed or given
// back, after Overlay shows it. It is called from the goroutine of Run and must not block.
func (p *Plan) OnBookings(f func(peerID string)) {
	p.booked.OnChange(func(key string) {
		if ids, err := kv.Key(key).IDs(Bookings.Tokens); err == nil {
			f(ids[0])
		}
	})
}

// Stream is what the plan is kept in.
func (p *Plan) Stream() *kv.Stream { return p.stream }

// Now is the time of NATS.
func (p *Plan) Now() time.Time { return p.clock.Now() }

// NewID is an id that nobody else has.
func (p *Plan) NewID(of schedule.Prefix) string {
	var chance [9]byte
	_, _ = rand.Read(chance[:]) // never fails
	return schedule.NewID(of, p.Now(), chance)
}

// Schedules lists what is known of schedules without reading them.
func (p *Plan) Schedules() *kv.View[Listed] { return p.list }

// Runs lists what is known of runs without reading them.
func (p *Plan) Runs() *kv.View[ListedRun] { return p.runs }

// Schedule reads a schedule past the view, and its revision. It fails with kv.ErrNotFound, kv.ErrUndecodable or
// kv.ErrUnavailable.
func (p *Plan) Schedule(ctx context.Context, id string) (schedule.Record, uint64, error) {
	return read(ctx, p.schedules, id, DecodeSchedule)
}

// Hold reads a hold past the view, and its revision, for as long as its key stands. It fails as Schedule does.
func (p *Plan) Hold(ctx context.Context, id string) (schedule.HoldRecord, uint64, error) {
	return read(ctx, p.holds, id, DecodeHold)
}

// StoredRun reads a run past the view, and its revision. It fails as Schedule does.
func (p *Plan) StoredRun(ctx context.Context, id string) (run.Record, uint64, error) {
	return read(ctx, p.runKeys, id, DecodeRun)
}

func read[T any](ctx context.Context, keys *kv.Keys, id string, decode kv.Decode[T]) (value T, revision uint64, err error) {
	m, err := keys.Value(ctx, kv.KeyOf(id))
	if err != nil {
		return value, 0, err
	}
	value, err = decode(kv.KeyOf(id), m)
	return value, m.Revision, err
}

// Standing reads what an owner takes of instances, past the view, with the revisions, of 0 where nothing stands. It fails with
// kv.ErrUnavailable.
func (p *Plan) Standing(ctx context.Context, owner string, places []schedule.Place) (map[schedule.Place]Stands, error) {
	b, keys := p.stream.NewBatch(), make([]kv.Key, len(places))
	for i, place := range places {
		keys[i] = BookingKey(place, owner)
	}
	if err := b.Load(ctx, p.bookings, keys...); err != nil {
		return nil, err
	}
	all := map[schedule.Place]Stands{}
	for i, place := range places {
		m, err := b.Message(ctx, p.bookings, keys[i])
		if err == nil && !m.Live() { // who has answered may be behind, and who finds nothing gives nothing back
			m, err = p.bookings.Newest(ctx, keys[i])
		}
		if err != nil {
			return nil, err
		}
		stands := Stands{Revision: m.Revision}
		if stands.Live = m.Live(); stands.Live {
			stands.Booking, err = DecodeBooking(keys[i], m)
			stands.Broken = err != nil
		}
		all[place] = stands
	}
	return all, nil
}

// Stands is a booking that stands, or has stood.
type Stands struct {
	schedule.Booking
	Revision     uint64
	Live, Broken bool
}

// TimerRevision is that of the timer of a schedule or run; 0: there is none. It fails with kv.ErrUnavailable.
func (p *Plan) TimerRevision(ctx context.Context, id string) (uint64, error) {
	m, err := p.due.Newest(ctx, kv.KeyOf(id))
	return m.Revision, err
}
