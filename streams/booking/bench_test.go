package booking_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// stands has so many bookings stand on the instances of peers, each of an owner of its own, an hour each in the far
// future, and returns how many bytes of memory each of them takes, with what checks see of it.
func stands(b *testing.B, r *replica, n int, peers []string) (each float64) {
	b.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := tomorrow().Add(30 * 24 * time.Hour)
	keys := r.st.Plan.Stream().Keys(plan.Bookings)
	revision := uint64(0)
	for done := 0; done < n; {
		batch := r.st.Plan.Stream().NewBatch()
		for range min(kv.MaxBatch, n-done) {
			from := start.Add(time.Duration(done) * time.Minute)
			place := schedule.Place{PeerID: peers[done%len(peers)], ResourceID: "r", InstanceID: "i"}
			owner, id := r.st.Plan.NewID(schedule.OfSchedule), r.st.Plan.NewID(schedule.OfBooking)
			data := fmt.Appendf(nil, `{"id":%q,"schedule_id":%q,"workflow_id":"wf","peer_id":%q,"resource_id":"r","instance_id":"i","intervals":[{"start":%q,"end":%q,"item_id":"n0","usage":{"ram_gb":1}}]}`,
				id, owner, place.PeerID, from.Format(time.RFC3339), from.Add(time.Hour).Format(time.RFC3339))
			if err := batch.SetAt(keys, plan.BookingKey(place, owner), 0, &kv.Write{Data: data, TTL: 200 * 24 * time.Hour}); err != nil {
				b.Fatal(err)
			}
			done++
		}
		var err error
		if revision, err = batch.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.st.Plan.Await(b.Context(), revision); err != nil {
		b.Fatal(err)
	}
	for _, peer := range peers {
		r.st.Plan.Overlay(peer) // as a check has it built
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	return (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / float64(n)
}

// BenchmarkBook is a commit over three instances beside so many bookings that stand there: a check and a batch. Beside
// it, turn by turn, a batch of the same messages alone. The limit is 1.5 batches.
func BenchmarkBook(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newReplica(b, natstest.StartProcess(b).JetStream(b), 1)
			peers := []string{"p", "q", "s"}
			for _, peer := range peers {
				has(b, peer, map[string]int{"i": 1_000_000}, r)
			}
			needs(b, "wf", 1, peers, r)
			each := stands(b, r, n, peers)
			start, took := tomorrow().Add(30*24*time.Hour), [2][]time.Duration{}
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				if _, err := r.Book(b.Context(), me, at(b, start.Add(time.Duration(i)*time.Minute), "")); err != nil {
					b.Fatal(err)
				}
				took[0] = append(took[0], time.Since(began))
				b.StopTimer()
				batch := sameAgain(b, r, i)
				b.StartTimer()
				began = time.Now()
				if _, err := batch.Commit(b.Context()); err != nil {
					b.Fatal(err)
				}
				took[1] = append(took[1], time.Since(began))
			}
			for _, list := range took {
				slices.Sort(list)
			}
			book, batch := took[0][len(took[0])/2], took[1][len(took[1])/2]
			b.ReportMetric(float64(book.Microseconds()), "us/book")
			b.ReportMetric(float64(batch.Microseconds()), "us/batch")
			b.ReportMetric(float64(book)/float64(batch), "batches/book")
			b.ReportMetric(each, "B/booking")
		})
	}
}

// sameAgain is a batch of the messages of the last commit, under names that stand for nothing.
func sameAgain(b *testing.B, r *replica, i int) *kv.Batch {
	b.Helper()
	of := r.st.Plan.Stream()
	stream, err := of.JetStream().Stream(b.Context(), "KV_plan")
	if err != nil {
		b.Fatal(err)
	}
	const messages = 8 // bookings, heads, a timer, the schedule
	info, batch := stream.CachedInfo(), of.NewBatch()
	for seq := info.State.LastSeq - messages + 1; seq <= info.State.LastSeq; seq++ {
		m, err := stream.GetMsg(b.Context(), seq)
		if err != nil {
			b.Fatal(err)
		}
		name := kv.KeyOf(fmt.Sprintf("b-%d-%d-%d", b.N, i, seq))
		if plan.Due.Holds(m.Subject) {
			err = batch.SetAt(of.Keys(plan.Due), name, 0, plan.Timer(string(name), time.Now().Add(30*24*time.Hour)))
		} else {
			err = batch.SetAt(of.Keys(plan.Idempotency), name, 0, &kv.Write{Data: m.Data, TTL: 30 * 24 * time.Hour})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return batch
}
