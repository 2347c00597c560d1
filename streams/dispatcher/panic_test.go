package dispatcher_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/watcher"
)

// wild is a creator that leaves in every way, by the type of the object.
type wild struct{ creator }

func (w wild) CreateMessage(e watcher.Event) (*envelope.Message, error) {
	switch e.ObjectType {
	case "panic":
		panic("no message of that")
	case "goexit":
		runtime.Goexit()
	case "unwritable":
		return &envelope.Message{Payload: changed(nil)}, nil
	}
	return w.creator.CreateMessage(e)
}

func TestACreatorThatPanicsIsOneThatFails(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	s, cfg, registry := memory(t), quick(), prometheus.NewPedanticRegistry()
	cfg.Registerer = registry
	store(t, s, "panic", "run", "goexit", "unwritable", "poison", "run")
	p := params(s, publisher(t, js))
	p.Creator = wild{}
	d := dispatch(t, cfg, p)
	await(t, d, 6)
	stop(t, d)
	same(t, "left out", d.State().LeftOut, 4)
	same(t, "counted", counted(t, registry, "oc_scheduler_dispatcher_events_total", "left_out"), 4)
	var r reader
	read(t, js, &r, s.LedgerID())
	same(t, "taken", fmt.Sprint(r.taken, r.duplicates, r.gaps), "[2 6] 0 0")
}

// wildStore is a ledger of which one call panics.
type wildStore struct {
	watcher.EventStore
	call string
}

func (s wildStore) leave(call string) {
	if call == s.call {
		panic(call)
	}
}

func (s wildStore) LedgerID() string {
	s.leave("LedgerID")
	return s.EventStore.LedgerID()
}

func (s wildStore) GetLatestEventNum(ctx context.Context) (uint64, error) {
	s.leave("GetLatestEventNum")
	return s.EventStore.GetLatestEventNum(ctx)
}

func (s wildStore) StoreCheckpoint(ctx context.Context, name string, seqNum uint64) error {
	s.leave("StoreCheckpoint")
	return s.EventStore.StoreCheckpoint(ctx, name, seqNum)
}

func TestAStoreThatPanicsIsOneThatFails(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"LedgerID", "GetLatestEventNum"} {
		d, err := dispatcher.New(quick(), params(wildStore{memory(t), call}, &script{}))
		same(t, "new", err, nil)
		same(t, call, panicked(d.Start(t.Context())), true)
	}
	s, cfg := memory(t), quick()
	runs(t, s, 2)
	cfg.CheckpointInterval = time.Millisecond
	d := dispatch(t, cfg, params(wildStore{s, "StoreCheckpoint"}, &script{fates: []fate{stored, lost}}))
	await(t, d, 2)
	stop(t, d)
	same(t, "checkpoint", checkpoint(t, s), 0)
}

func panicked(err error) bool {
	_, is := errors.AsType[*guard.PanicError](err)
	return is
}

type wildBackoff struct{ *backoff.StopBackOff }

func (wildBackoff) NextBackOff() time.Duration { panic("no pause") }

// TestABackoffThatPanicsEndsTheSending, and says so: another session begins it anew.
func TestABackoffThatPanicsEndsTheSending(t *testing.T) {
	t.Parallel()
	s, cfg := memory(t), quick()
	runs(t, s, 2)
	cfg.Backoff = wildBackoff{&backoff.StopBackOff{}}
	d := dispatch(t, cfg, params(s, &script{fates: []fate{stored, lost}}))
	<-d.Done()
	same(t, "why", panicked(d.State().LastError), true)
	same(t, "checkpoint", checkpoint(t, s), 1)
}
