package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// leftOver looks for consumers on the buckets that serve no replica: each costs on every write.
func (e *exam) leftOver(ctx context.Context) {
	foreign, idle, err := e.strangers(ctx)
	if len(idle) > 0 { // one whose reader has just gone, or is about to ask again
		e.settle(ctx)
		var again []string
		_, again, err = e.strangers(ctx)
		idle = both(idle, again)
	}
	switch {
	case err != nil:
		e.unreadable(err)
		return
	case len(foreign)+len(idle) == 0:
		e.ok("no consumers on the buckets but those of replicas and watchers")
	}
	if len(foreign) > 0 {
		e.warn(fmt.Sprintf("durable consumers that are not of oc-scheduler: %s", some(foreign)), "if nobody needs it: "+e.each("consumer rm", foreign, "-f"))
	}
	if len(idle) > 0 {
		e.warn(fmt.Sprintf("consumers that nobody reads: %s", some(idle)),
			"the server drops each after its inactive threshold (30 s for those of replicas); if it stays: "+e.each("consumer rm", idle, "-f"))
	}
}

// strangers lists, as "stream name", durables that are not ours, and others that nobody reads.
func (e *exam) strangers(ctx context.Context) (foreign, idle []string, err error) {
	for _, x := range expectations(1) {
		if !x.bucket || e.streams[x.Stream.Name] == nil {
			continue
		}
		stream, err := e.js.Stream(ctx, x.Stream.Name)
		if err != nil {
			return nil, nil, err
		}
		list := stream.ListConsumers(ctx)
		for info := range list.Info() {
			name := x.Stream.Name + " " + info.Name
			switch {
			case slices.ContainsFunc(x.Durables, func(c jetstream.ConsumerConfig) bool { return c.Durable == info.Name }):
			case info.Config.Durable != "":
				foreign = append(foreign, name)
			case unheard(info):
				idle = append(idle, name)
			}
		}
		if err := list.Err(); err != nil {
			return nil, nil, err
		}
	}
	slices.Sort(foreign)
	return foreign, idle, nil
}

// unheard says whether nobody is there to take what the consumer has.
func unheard(info *jetstream.ConsumerInfo) bool {
	if info.Config.DeliverSubject != "" {
		return !info.PushBound
	}
	return info.NumWaiting == 0
}
