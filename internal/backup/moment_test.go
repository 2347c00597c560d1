package backup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"oc-scheduler/internal/backup"
	"oc-scheduler/internal/natstest"
)

func cutKV(stream string) (bucket string, is bool) { return strings.CutPrefix(stream, "KV_") }

// TestAStreamIsOfOneMoment overwrites all keys of a bucket, a batch of some at a time, while backups are made: in each no
// key is missing, and no batch is torn.
func TestAStreamIsOfOneMoment(t *testing.T) {
	t.Parallel()
	const groups, each = 400, 5
	js := natstest.Start(t).JetStream(t)
	furnish(t, js, 1)
	rewrite := func(ctx context.Context, group, round int) error {
		batch := make([]*nats.Msg, each)
		for i := range batch {
			batch[i] = nats.NewMsg(fmt.Sprintf("$KV.plan.schedule.g%d-%d", group, i))
			batch[i].Data = fmt.Appendf(nil, "%d %s", round, strings.Repeat("x", 4000))
		}
		_, err := jetstreamext.PublishMsgBatch(ctx, js, batch)
		return err
	}
	for group := range groups {
		if err := rewrite(t.Context(), group, 0); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		for round := 1; ; round++ {
			if err := rewrite(ctx, rand.IntN(groups), round); err != nil { // also what is still to be read
				ended <- err
				return
			}
		}
	}()
	var files [][]byte
	for range 3 {
		files = append(files, write(t, js))
	}
	stop()
	if err := <-ended; ctx.Err() == nil {
		t.Fatal(err)
	}
	changed := false
	for _, file := range files {
		to := natstest.Start(t).JetStream(t)
		if err := restore(t.Context(), to, file, backup.Options{}); err != nil {
			t.Fatal(err)
		}
		rounds := map[string]string{} // by group
		found := 0
		for _, m := range content(t, to, "KV_plan") {
			group, _, _ := strings.Cut(m.Subject, "-")
			round, _, _ := strings.Cut(string(m.Data), " ")
			if before, seen := rounds[group]; seen && before != round {
				t.Errorf("%s is torn: %s and %s", group, before, round)
			}
			rounds[group] = round
			found++
			changed = changed || round != "0"
		}
		if found != groups*each {
			t.Errorf("%d keys of %d", found, groups*each)
		}
	}
	if !changed {
		t.Error("nothing was written meanwhile")
	}
}

// TestAStreamWhoseEndHasGone is read to where its newest message was.
func TestAStreamWhoseEndHasGone(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	furnish(t, js, 1)
	put(t, js, "oc.history.run.a", "1")
	last := put(t, js, "oc.history.run.b", "2")
	stream, err := js.Stream(t.Context(), "OC_HISTORY")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.DeleteMsg(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	bus := put(t, js, "CREATE_RESOURCE", "e")
	if stream, err = js.Stream(t.Context(), "OC_BUS"); err == nil {
		err = stream.Purge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	to := natstest.Start(t).JetStream(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := restore(ctx, to, write(t, js), backup.Options{}); err != nil {
		t.Fatal(err)
	}
	if next := put(t, to, "oc.history.run.c", "3"); next != last+1 {
		t.Errorf("the next one is %d, after %d", next, last)
	}
	if next := put(t, to, "CREATE_RESOURCE", "e"); next != bus+1 {
		t.Errorf("the next event is %d, after %d", next, bus)
	}
	if _, err := to.Stream(t.Context(), "OC_NIX"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Error(err)
	}
}

// TestABatchWhoseEndHasGone is waited for, and then kept as it stands.
func TestABatchWhoseEndHasGone(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	furnish(t, js, 1)
	batch := []*nats.Msg{nats.NewMsg("$KV.plan.schedule.a"), nats.NewMsg("$KV.plan.schedule.b")}
	ack, err := jetstreamext.PublishMsgBatch(t.Context(), js, batch)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "KV_plan")
	if err == nil {
		err = stream.DeleteMsg(t.Context(), ack.Sequence)
	}
	if err != nil {
		t.Fatal(err)
	}
	to := natstest.Start(t).JetStream(t)
	if err := restore(t.Context(), to, write(t, js), backup.Options{}); err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, m := range content(t, to, "KV_plan") {
		if strings.HasPrefix(m.Subject, "$KV.plan.schedule.") {
			left++
		}
	}
	if left != 1 {
		t.Errorf("%d messages of the batch", left)
	}
}
