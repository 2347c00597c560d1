package report_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/report"
)

// course is a run that is stored again and again.
type course struct {
	keys     *kv.Keys
	record   run.Record
	revision uint64
}

// runs makes a run of steps that take their time and execute nothing, which is due.
func (r *replica) runs(t *testing.T, steps int) *course {
	t.Helper()
	var items, links []string
	for i := range steps {
		items = append(items, fmt.Sprintf(`"s%d":{"processing":{"duration_s":60}}`, i))
		if i > 0 {
			links = append(links, fmt.Sprintf(`{"source":"s%d","destination":"s%d"}`, i-1, i))
		}
	}
	w, err := workflow.DecodeStored([]byte(`{"id":"w","graph":{"items":{` + strings.Join(items, ",") + `},"links":[` + strings.Join(links, ",") + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	now := r.Now()
	c := &course{keys: r.Stream().Keys(plan.Runs)}
	c.record, _ = run.New(w, run.Booked{
		RunID: r.NewID(schedule.OfRun), Start: now, End: now.Add(time.Duration(steps) * time.Minute), CatchUp: time.Hour,
	}, "token:t", now)
	c.store(t)
	return c
}

// step has a minute pass for the run.
func (c *course) step(t *testing.T, minutes int) {
	t.Helper()
	c.record, _ = run.Advance(c.record, run.Due{}, run.Now{At: c.record.Start.Add(time.Duration(minutes) * time.Minute)})
	c.store(t)
}

func (c *course) store(t *testing.T) {
	t.Helper()
	data, err := json.Marshal(c.record)
	if err == nil {
		c.revision, err = c.keys.Swap(t.Context(), kv.KeyOf(c.record.ID), c.revision, &kv.Write{Data: data})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// check holds that the history is the log, and nothing else.
func (c *course) check(t *testing.T, log history.Log) {
	t.Helper()
	want := c.record.Work.Log
	if len(log) != len(want) {
		t.Fatalf("%d items of %d: %+v", len(log), len(want), log)
	}
	for i, it := range log {
		if w := want[i]; it.Seq != w.Seq || !it.At.Equal(w.At) || it.Kind != history.Kind(w.Kind) || it.ItemID != w.ItemID ||
			it.From != string(w.From) || it.To != string(w.To) || it.Reason != w.Reason || it.By != w.By {
			t.Errorf("item %d: %+v, want %+v", i, it, w)
		}
	}
}

// TestEachTransitionOnceInOrder holds that, of runs that move fast, all replicas together tell all, though one after the
// other stops and begins anew.
func TestEachTransitionOnceInOrder(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	a, b := newReplica(t, s), newReplica(t, s)
	stopA, stopB := a.tell(t), b.tell(t)
	const steps = 12
	var all []*course
	for range 8 {
		all = append(all, a.runs(t, steps))
	}
	for minutes := range steps + 1 {
		for _, c := range all {
			c.step(t, minutes)
		}
		switch minutes {
		case 3:
			stopA()
		case 6:
			stopB()
			stopA = a.tell(t)
		case 9:
			b.tell(t)
		}
	}
	for _, c := range all {
		c.check(t, a.awaitPast(t, history.OfRun, c.record.ID, len(c.record.Work.Log)))
	}
	natstest.Eventually(t, "all is acknowledged", func() bool { return a.told(t) })
	for _, c := range all { // what came again has changed nothing
		c.check(t, a.awaitPast(t, history.OfRun, c.record.ID, len(c.record.Work.Log)))
	}
}

// told says whether nothing of the plan waits to be told.
func (r *replica) told(t *testing.T) bool {
	t.Helper()
	cons, err := r.Stream().JetStream().Consumer(t.Context(), r.Stream().Name(), "oc-scheduler-changes")
	return err == nil && cons.CachedInfo().NumPending == 0 && cons.CachedInfo().NumAckPending == 0
}

// TestARunOnTheBus holds that it is said when a run was made, as it was then, and when it has ended.
func TestARunOnTheBus(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	r, bus := newReplica(t, s), listen(t, s)
	c := r.runs(t, 2)
	c.step(t, 0) // before anybody looks
	r.tell(t)
	bus.await(t, 1)
	c.step(t, 1)
	c.step(t, 2)
	list := bus.await(t, 2)
	if c.record.State != run.Completed {
		t.Fatalf("the run is %s", c.record.State)
	}
	for i, state := range []run.State{run.Scheduled, run.Completed} {
		var told run.Run
		if err := json.Unmarshal([]byte(list[i].payload), &told); err != nil {
			t.Fatal(err)
		}
		if x := list[i]; x.subject != "CREATE_RESOURCE" || x.datatype != "WORKFLOW_EXECUTION" || told.ID != c.record.ID || told.State != state ||
			len(told.Steps) != 2 || (told.EndedAt != nil) != (state == run.Completed) {
			t.Errorf("said: %+v", x)
		}
	}
	natstest.Eventually(t, "all is told", func() bool { return r.told(t) })
	if list := bus.all(); len(list) != 2 {
		t.Errorf("said: %+v", list)
	}
}

// dying is the bus of a replica that dies when it has said something, before it can note that.
type dying struct {
	report.Bus
	said atomic.Int64
}

var errDead = errors.New("it has died")

func (d *dying) Created(ctx context.Context, datatype string, groups []string, payload []byte, id string) error {
	if err := d.Bus.Created(ctx, datatype, groups, payload, id); err != nil {
		return err
	}
	d.said.Add(1)
	return errDead
}

// TestAReplicaThatDiesBetween saying and noting: nothing is lost, and what was said may be said again.
func TestAReplicaThatDiesBetween(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	r, bus := newReplica(t, s), listen(t, s)
	dead := &dying{Bus: r.bus}
	r.bus = dead
	die := r.tell(t)
	c := r.runs(t, 1)
	natstest.Eventually(t, "it has said something", func() bool { return dead.said.Load() > 0 })
	die()
	if log, err := r.past.Read(t.Context(), history.OfRun, c.record.ID, 0, 9); err != nil || len(log) > 0 {
		t.Fatalf("noted: %+v, %v", log, err)
	}
	c.step(t, 0)
	c.step(t, 1)
	r.bus = dead.Bus
	r.tell(t)
	c.check(t, r.awaitPast(t, history.OfRun, c.record.ID, len(c.record.Work.Log)))
	natstest.Eventually(t, "its end is said", func() bool {
		return slices.ContainsFunc(bus.all(), func(x said) bool { return strings.Contains(x.payload, `"state":"completed"`) })
	})
}
