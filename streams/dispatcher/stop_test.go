package dispatcher_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/watcher"
)

// TestStoppedAtAnyTime: one session follows the other, each begins with what the last one knew.
func TestStoppedAtAnyTime(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	const n = 5000
	s := memory(t)
	runs(t, s, n)
	p := params(s, publisher(t, js))
	for session := 0; p.After < n; session++ {
		d := dispatch(t, quick(), p)
		if session%2 == 0 { // the others are stopped as they start
			await(t, d, min(p.After+1+rand.Uint64N(800), n))
		}
		stop(t, d)
		p.After = d.State().LastAcknowledged
		p.Publisher.Reset(patient(t))
		same(t, "checkpoint", checkpoint(t, s), p.After)
	}
	var r reader
	read(t, js, &r, s.LedgerID())
	r.all(t, n)
}

// slowDisk keeps each checkpoint in hand until it may go on.
type slowDisk struct {
	watcher.EventStore
	goOn chan struct{}
}

func (s *slowDisk) StoreCheckpoint(ctx context.Context, name string, seqNum uint64) error {
	<-s.goOn
	return s.EventStore.StoreCheckpoint(ctx, name, seqNum)
}

func TestWhatIsKnownAtTheEndCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &slowDisk{memory(t), make(chan struct{})}
		p := &script{fates: []fate{stored, swallowed, swallowed, swallowed}}
		runs(t, s, 4)
		d := dispatch(t, dispatcher.Config{CheckpointInterval: time.Second}, params(s, p))
		time.Sleep(1500 * time.Millisecond) // it is writing a checkpoint
		same(t, "acknowledged", d.State().LastAcknowledged, 1)
		p.acknowledge(2)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if d.Stop(ctx) == nil {
			t.Error("it does not wait for the checkpoint")
		}
		close(s.goOn)
		stop(t, d)
		same(t, "acknowledged", d.State().LastAcknowledged, 3)
		same(t, "checkpoint", checkpoint(t, s), 3)
	})
}

// pauses is a BackOff that counts.
type pauses struct{ taken, reset atomic.Int64 }

func (p *pauses) Reset() { p.reset.Add(1) }
func (p *pauses) NextBackOff() time.Duration {
	p.taken.Add(1)
	return 0
}

func TestPausesBeginAnewAfterProgress(t *testing.T) {
	t.Parallel()
	s, pauses := memory(t), &pauses{}
	runs(t, s, 2)
	d := dispatch(t, dispatcher.Config{Backoff: pauses}, params(s, &script{fates: []fate{lost, lost, stored, lost}}))
	await(t, d, 2)
	stop(t, d)
	same(t, "pauses", pauses.taken.Load(), 3)
	same(t, "resets, at the start and after event 1", pauses.reset.Load(), 2)
}
