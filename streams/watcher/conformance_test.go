package watcher_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/watcher"
)

func TestWhatIsStoredIsRead(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
		now := time.Date(2026, 12, 1, 10, 0, 0, 123456789, time.FixedZone("", 3600))
		s := open(t, watcher.WithClock(clockwork.NewFakeClockAt(now)))
		stored, err := s.StoreEvent(t.Context(), watcher.StoreEventRequest{
			Operation: watcher.OperationCreate, ObjectType: "run", Object: map[string]string{"id": "r1"},
		})
		if err != nil {
			t.Fatal(err)
		}
		store(t, s, run(2), watcher.StoreEventRequest{Operation: watcher.OperationDelete, ObjectType: "planner"})
		found := events(t, s, 0, 0)
		same(t, "numbers", numbers(found), "1-3")
		for i, want := range []string{
			`{1 create run {"id":"r1"} 2026-12-01 09:00:00.123456789 +0000 UTC}`,
			`{2 update run 2 2026-12-01 09:00:00.123456789 +0000 UTC}`,
			`{3 delete planner null 2026-12-01 09:00:00.123456789 +0000 UTC}`,
		} {
			e := found[i]
			same(t, "event", fmt.Sprintf("{%d %s %s %s %v}", e.SeqNum, e.Operation, e.ObjectType, e.Object, e.Timestamp), want)
		}
		same(t, "answer", fmt.Sprint(stored), fmt.Sprint(found[0]))
		same(t, "newest", newest(t, s), 3)
	})
}

func TestPositionsAndLimits(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
		s := open(t)
		same(t, "of nothing", numbers(events(t, s, 0, 0)), "")
		same(t, "newest of nothing", newest(t, s), 0)
		for n := range 10 {
			store(t, s, run(n))
		}
		for _, c := range []struct {
			after uint64
			limit int
			want  string
		}{
			{0, 3, "1-3"},
			{3, 3, "4-6"},
			{8, 3, "9-10"},
			{9, 0, "10-10"},
			{10, 0, ""},
			{11, 1, ""},
			{0, -1, "1-10"},
			{math.MaxUint64 - 1, 0, ""},
			{math.MaxUint64, 0, ""},
		} {
			same(t, fmt.Sprint(c), numbers(events(t, s, c.after, c.limit)), c.want)
		}
	})
}

func TestAPageIsBounded(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
		s := open(t)
		object := func(bytes int) watcher.StoreEventRequest {
			return watcher.StoreEventRequest{
				Operation: watcher.OperationUpdate, ObjectType: "run", Object: strings.Repeat("x", bytes-2),
			}
		}
		half := watcher.MaxPageBytes / 2
		store(t, s, object(half), object(half), object(2), object(2*half+1), object(2))
		for after, want := range map[uint64]string{0: "1-2", 1: "2-3", 2: "3-3", 3: "4-4", 4: "5-5"} {
			same(t, fmt.Sprint("after ", after), numbers(events(t, s, after, 0)), want)
		}
		store(t, s, object(watcher.MaxObjectBytes))
		_, err := s.StoreEvent(t.Context(), object(watcher.MaxObjectBytes+1))
		same(t, "too large", errors.Is(err, watcher.ErrInvalid), true)
		same(t, "newest", newest(t, s), 6)
	})
}

func TestWhatCannotBeStored(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
		s := open(t)
		for name, r := range map[string]watcher.StoreEventRequest{
			"no operation":      {ObjectType: "run"},
			"unknown operation": {Operation: "upsert", ObjectType: "run"},
			"no type":           {Operation: watcher.OperationCreate},
			"long type":         {Operation: watcher.OperationCreate, ObjectType: strings.Repeat("x", 256)},
			"no JSON":           {Operation: watcher.OperationCreate, ObjectType: "run", Object: math.NaN()},
		} {
			_, err := s.StoreEvent(t.Context(), r)
			same(t, name, errors.Is(err, watcher.ErrInvalid), true)
		}
		for _, name := range []string{"", strings.Repeat("x", 256)} {
			same(t, "checkpoint", errors.Is(s.StoreCheckpoint(t.Context(), name, 1), watcher.ErrInvalid), true)
		}
		same(t, "newest", newest(t, s), 0)
		store(t, s, watcher.StoreEventRequest{Operation: watcher.OperationCreate, ObjectType: strings.Repeat("x", 255)})
		same(t, "long type", len(events(t, s, 0, 0)[0].ObjectType), 255)
	})
}

func TestManyWritersAtOnce(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
		s := open(t)
		const writers, each = 16, 50
		given := make([][]uint64, writers)
		var work sync.WaitGroup
		for w := range writers {
			work.Go(func() {
				for n := range each {
					e, err := s.StoreEvent(t.Context(), run(w*each+n))
					if err != nil {
						t.Error(err)
						return
					}
					given[w] = append(given[w], e.SeqNum)
				}
			})
		}
		work.Wait()
		found := events(t, s, 0, writers*each+1)
		same(t, "numbers", numbers(found), fmt.Sprintf("1-%d", writers*each))
		for w, sequence := range given {
			for n, number := range sequence {
				same(t, "object", string(found[number-1].Object), fmt.Sprint(w*each+n))
			}
		}
	})
}

func TestChangedMissesNothing(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
		s := open(t)
		const all = 300
		var work sync.WaitGroup
		for range 3 {
			work.Go(func() {
				for position := uint64(0); position < all; {
					changed := s.Changed()
					found := events(t, s, position, 7)
					if len(found) == 0 {
						<-changed
						continue
					}
					position = found[len(found)-1].SeqNum
				}
			})
		}
		for n := range all {
			store(t, s, run(n))
		}
		work.Wait()
		changed := s.Changed()
		if err := errors.Join(s.StoreCheckpoint(t.Context(), "c", 1), s.Trim(t.Context(), 10)); err != nil {
			t.Fatal(err)
		}
		select {
		case <-changed:
			t.Error("woken though no event was stored")
		default:
		}
	})
}

func TestCheckpoints(t *testing.T) {
	conforms(t, func(t *testing.T, open opener) {
		t.Helper()
		s := open(t)
		_, err := s.GetCheckpoint(t.Context(), "c")
		same(t, "none", errors.Is(err, watcher.ErrCheckpointNotFound), true)
		for _, want := range []uint64{7, 3, 0, math.MaxUint64} {
			if err := errors.Join(s.StoreCheckpoint(t.Context(), "c", want), s.StoreCheckpoint(t.Context(), "d", 1)); err != nil {
				t.Fatal(err)
			}
			got, err := s.GetCheckpoint(t.Context(), "c")
			same(t, "error", err, nil)
			same(t, "checkpoint", got, want)
		}
	})
}
