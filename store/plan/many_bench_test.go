package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/schedule"
)

// fill has n bookings in a month stand, each with its schedule of one occurrence and its timer, or alone.
func (p *Plan) fill(b *testing.B, n int, alone bool) {
	b.Helper()
	batch := p.stream.NewBatch()
	for i := range n {
		start := p.Now().Add(30*24*time.Hour + time.Duration(i)*time.Second)
		taken := schedule.Taken{
			ID: p.NewID(schedule.OfBooking), ItemID: "c", Start: start, End: start.Add(time.Hour), Usage: json.RawMessage(`{"ram_gb":1}`),
			Place: schedule.Place{PeerID: fmt.Sprint("p", i%100), ResourceID: "r", InstanceID: "i"},
		}
		r := schedule.Record{Schedule: schedule.Schedule{
			ID: p.NewID(schedule.OfSchedule), WorkflowID: "w", State: schedule.Active, Request: json.RawMessage(`{"duration_s":3600}`), CreatedBy: "token:t",
			Occurrences: []schedule.Occurrence{{Nominal: start, Start: start, End: taken.End, State: schedule.Booked, Bookings: []schedule.Taken{taken}}},
		}, Workflow: json.RawMessage(`{"id":"w","graph":{"items":{"c":{"compute":{"id":"r","peer_id":"p"}}},"links":[]}}`)}
		booked, err := json.Marshal(r.Bookings(p.Now())[0])
		if err != nil {
			b.Fatal(err)
		}
		record, err := json.Marshal(r)
		if err != nil {
			b.Fatal(err)
		}
		err = batch.SetAt(p.bookings, BookingKey(taken.Place, r.ID), 0, &kv.Write{Data: booked, TTL: 40 * 24 * time.Hour})
		if !alone {
			err = errors.Join(err, batch.SetAt(p.due, kv.KeyOf(r.ID), 0, Timer(r.ID, start)), batch.SetAt(p.schedules, kv.KeyOf(r.ID), 0, &kv.Write{Data: record}))
		}
		if err != nil {
			b.Fatal(err)
		}
		if i%300 == 299 || i == n-1 {
			if _, err := batch.Commit(b.Context()); err != nil {
				b.Fatal(err)
			}
			batch = p.stream.NewBatch()
		}
	}
}

// BenchmarkMany is a replica of many schedules, each with a booking and a timer: it starts, and a thousand timers more
// fall due within a second.
func BenchmarkMany(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			server := natstest.StartProcess(b)
			p := open(b, server)
			p.fill(b, n, false)
			b.Run("start", func(b *testing.B) { p.start(b, n) })
			b.Run("fire", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					p.fire(b, i, 1000)
				}
			})
		})
	}
}

// BenchmarkManyBookings is a replica that starts beside so many bookings: what it takes more than beside few is theirs.
// The limit is 1.5 s.
func BenchmarkManyBookings(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := open(b, natstest.StartProcess(b))
			p.fill(b, n, true)
			p.start(b, n)
		})
	}
}

// start has replicas start, and tells of the quickest: how long it took, and of a processor's time, this process alone.
func (p *Plan) start(b *testing.B, n int) {
	var before, after runtime.MemStats
	least, cheapest := time.Hour, time.Hour
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		goroutines := runtime.NumGoroutine()
		began, used := time.Now(), processorTime(b)
		q := New(p.stream, p.clock, slog.New(slog.DiscardHandler))
		stop := natstest.Run(b, q.Run)
		natstest.Receive(b, q.Loaded())
		least, cheapest = min(least, time.Since(began)), min(cheapest, processorTime(b)-used)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/each")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines), "goroutines")
		stop()
	}
	b.ReportMetric(float64(least.Milliseconds()), "ms-to-ready")
	b.ReportMetric(float64(cheapest.Milliseconds()), "ms-of-processor")
}

// processorTime is what this process has used of processors.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// fire has n timers run out within a second, and tells how late they are handled.
func (p *Plan) fire(b *testing.B, round, n int) {
	b.Helper()
	due, batch, from := map[string]time.Time{}, p.stream.NewBatch(), p.Now().Add(2*time.Second)
	for i := range n {
		id := fmt.Sprintf("r-%d-%d", round, i)
		due[id] = from.Add(time.Duration(i) * time.Second / time.Duration(n))
		if err := batch.SetAt(p.due, kv.KeyOf(id), 0, Timer(id, due[id])); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := batch.Commit(b.Context()); err != nil {
		b.Fatal(err)
	}
	handled := make(chan time.Duration, n)
	stop := natstest.Run(b, func(ctx context.Context) error {
		return p.OnDue(ctx, func(_ context.Context, id string, _ uint64) error {
			handled <- p.Now().Sub(due[id])
			return nil
		})
	})
	late := make([]time.Duration, n)
	for i := range late {
		late[i] = natstest.Receive(b, handled)
	}
	stop()
	slices.Sort(late)
	b.ReportMetric(float64(late[n/2].Microseconds())/1000, "ms-late-p50")
	b.ReportMetric(float64(late[n*99/100].Microseconds())/1000, "ms-late-p99")
}
