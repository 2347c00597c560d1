package backup_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/backup"
	"oc-scheduler/internal/natstest"
)

// TestWhatWasWrittenIsRestored holds that messages come back as they were, with their sequences, times and headers, on a
// server alone and from there on a cluster; that what has an end ends when it would have, and timers fire.
func TestWhatWasWrittenIsRestored(t *testing.T) {
	t.Parallel()
	from := natstest.Start(t).JetStream(t)
	furnish(t, from, 1)
	put(t, from, "$KV.workflows.gone", "x")
	put(t, from, "$KV.workflows.w", `{"a":1}`, "Oc-Source-Seq", "7", "Status", "409", "Oc-Many", "a", "Oc-Many", "b")
	put(t, from, "$KV.workflows.gone", "y")
	put(t, from, "$KV.workflows.empty", "")
	put(t, from, "$KV.planners.short", "p", "Nats-TTL", "4s")
	put(t, from, "$KV.planners.long", "p", "Nats-TTL", "1h")
	put(t, from, "$KV.plan.due.r", "now", jetstream.ScheduleHeader, "@at "+in(4*time.Second), jetstream.ScheduleTargetHeader, "$KV.plan.fired.r")
	put(t, from, "$KV.replicas.dead", "{}", "Nats-TTL", "1s")
	put(t, from, "oc.history.run.r-1", "h")
	last := put(t, from, "CREATE_RESOURCE", "event")
	file := write(t, from)

	alone := natstest.Start(t).JetStream(t)
	if err := restore(t.Context(), alone, file, backup.Options{}); err != nil {
		t.Fatal(err)
	}
	cluster := natstest.StartCluster(t, 3)
	copied, err := jetstream.New(cluster.Connect(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := restore(t.Context(), copied, write(t, alone), backup.Options{Copies: 3}); err != nil {
		t.Fatal(err)
	}
	for where, js := range map[string]jetstream.JetStream{"alone": alone, "cluster": copied} {
		for _, stream := range []string{"KV_workflows", "OC_HISTORY", "OC_BUS"} {
			if want, got := content(t, from, stream), content(t, js, stream); len(want) == 0 || !reflect.DeepEqual(want, got) {
				t.Errorf("%s: %s: %v, want %v", where, stream, got, want)
			}
		}
		for _, x := range expected(1) {
			if bucket, is := cutKV(x.Stream.Name); is && backup.LeftOut[bucket] != "" {
				continue
			}
			for _, d := range x.Durables {
				if _, err := js.Consumer(t.Context(), x.Stream.Name, d.Durable); err != nil {
					t.Errorf("%s: %s of %s: %v", where, d.Durable, x.Stream.Name, err)
				}
			}
		}
		natstest.Eventually(t, "the short one ends", gone(js, "KV_planners", "$KV.planners.short"))
		natstest.Eventually(t, "the timer fires", stands(js, "KV_plan", "$KV.plan.fired.r"))
		if !stands(js, "KV_planners", "$KV.planners.long")() {
			t.Errorf("%s: what had an hour left has ended", where)
		}
		furnish(t, js, map[string]int{"alone": 1, "cluster": 3}[where]) // as a replica does that starts
		if next := put(t, js, "CREATE_RESOURCE", "next"); next != last+1 {
			t.Errorf("%s: the next event is %d, after %d", where, next, last)
		}
	}
}

// TestEachStreamIsKeptOrLeftOut says of a stream that is new to decide about it.
func TestEachStreamIsKeptOrLeftOut(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	furnish(t, js, 1)
	to := natstest.Start(t).JetStream(t)
	if err := restore(t.Context(), to, write(t, js), backup.Options{}); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range to.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	left := 0
	for _, x := range expected(1) {
		bucket, is := cutKV(x.Stream.Name)
		if out := is && backup.LeftOut[bucket] != ""; out == slices.Contains(names, x.Stream.Name) {
			t.Errorf("%s: restored %v, left out %v", x.Stream.Name, !out, out)
		} else if out {
			left++
		}
	}
	if left != len(backup.LeftOut) || len(names)+left != len(expected(1)) {
		t.Errorf("%d of %d left out, %d restored", left, len(backup.LeftOut), len(names))
	}
}
