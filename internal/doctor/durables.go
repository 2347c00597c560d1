package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// backlog is how many messages may wait for a consumer without a word.
const backlog = 1000

// durables looks at the consumers that all replicas share.
func (e *exam) durables(ctx context.Context) {
	for _, x := range expectations(e.copies()) {
		if e.streams[x.Stream.Name] == nil {
			continue
		}
		for _, want := range x.Durables {
			e.durable(ctx, x.Stream.Name, want)
		}
	}
}

func (e *exam) durable(ctx context.Context, stream string, want jetstream.ConsumerConfig) {
	name := fmt.Sprintf("consumer %s of %s", want.Durable, stream)
	consumer, err := e.js.Consumer(ctx, stream, want.Durable)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		if !e.follows(e.hinders, name+" is not there") {
			e.warn(name+" is not there", "start a replica, or restart one: it makes what is missing")
		}
	case err != nil:
		e.once("consumers", Fail, fmt.Sprintf("%s: %v", name, err), "start the servers that are away: a majority of those that keep a stream must run")
	default:
		e.shared(ctx, stream, name, want, consumer)
	}
}

func (e *exam) shared(ctx context.Context, stream, name string, want jetstream.ConsumerConfig, consumer jetstream.Consumer) {
	before := len(e.findings)
	info := consumer.CachedInfo()
	if list := jet.ConsumerDifferences(info.Config, want); len(list) > 0 {
		e.fail(fmt.Sprintf("%s: %v; replicas refuse to start", name, list),
			fmt.Sprintf("`%s`, and a replica makes it anew: it then reads from the beginning what the stream still holds", e.nats("consumer rm", stream, want.Durable, "-f")))
	}
	if info.Cluster != nil && info.Config.Replicas != 1 && e.copies() > 1 {
		e.group(name, info.Cluster, e.copies())
	}
	if info.Paused {
		e.fail(fmt.Sprintf("%s is paused for another %v", name, info.PauseRemaining), "`"+e.nats("consumer resume", stream, want.Durable, "-f")+"`")
		return // what waits does so for that
	}
	e.progress(ctx, name, consumer)
	if len(e.findings) == before {
		e.ok("%s: %d wait, %d in hand, %d delivered again", name, info.NumPending, info.NumAckPending, info.NumRedelivered)
	}
}

func (e *exam) progress(ctx context.Context, name string, consumer jetstream.Consumer) {
	info := consumer.CachedInfo()
	switch {
	case info.NumAckPending >= info.Config.MaxAckPending && info.Config.MaxAckPending > 0:
		e.fail(fmt.Sprintf("%s: %d are in hand and not acknowledged, so no more are delivered", name, info.NumAckPending),
			"a replica hangs: look for \"event failed\" in the logs; restart the replicas one by one")
	case info.NumPending > backlog:
		e.warn(fmt.Sprintf("%s: %d wait to be read", name, info.NumPending), "start a replica more, or find what slows the living ones: oc_scheduler_bus_events_total{outcome=\"retried\"}")
	}
	if info.NumRedelivered > 0 {
		e.warn(fmt.Sprintf("%s: %d are delivered again and again", name, info.NumRedelivered), "look for \"event failed\" and \"comes again\" in the replicas' logs")
	}
	if len(e.alive) > 0 && e.unread(ctx, consumer) {
		e.warn(name+": replicas live, but none of them reads it", "look for \"the bus is out of reach\" and \"reading begins again\" in their logs; restart one")
	}
}

// unread says whether nobody asks for messages, also after a while.
func (e *exam) unread(ctx context.Context, consumer jetstream.Consumer) bool {
	idle := func(info *jetstream.ConsumerInfo) bool { return info.NumWaiting == 0 && info.NumAckPending == 0 }
	if !idle(consumer.CachedInfo()) {
		return false
	}
	e.settle(ctx)
	info, err := consumer.Info(ctx)
	return err == nil && idle(info)
}
