package deploy_test

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
)

// site is a server with the streams that a scheduler keeps, and clients of a scheduler, of a node and of the bus.
type site struct{ scheduler, peer, bus *client }

func newSite(t *testing.T) *site {
	t.Helper()
	s := node(t)
	c := &site{dial(t, s, "scheduler", "_INBOX"), dial(t, s, "demo-north", "_INBOX.demo-north"), dial(t, s, "bus", "_INBOX.bus")}
	for _, cfg := range []jetstream.StreamConfig{
		{Name: "KV_planners", Subjects: []string{"$KV.planners.>"}, MaxMsgsPerSubject: 1, AllowDirect: true},
		{Name: "OC_BUS", Subjects: []string{events.Propagation, events.CreateResource, events.RemoveResource}},
		{Name: "OC_COMPUTE_OUT", Subjects: []string{"oc.compute.*.out.msgs"}},
		{Name: "OC_COMPUTE_IN", Subjects: []string{"oc.compute.*.in.msgs"}},
	} {
		if _, err := c.scheduler.js.CreateStream(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"demo-north", "demo-south"} {
		if _, err := c.scheduler.js.CreateConsumer(t.Context(), "OC_COMPUTE_IN", jetstream.ConsumerConfig{
			Durable: name, FilterSubject: "oc.compute." + name + ".in.msgs", AckPolicy: jetstream.AckExplicitPolicy,
		}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestANodeIsKeptFromAllThatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, subject := range []string{
		events.Propagation, events.CreateResource, events.RemoveResource,
		"$KV.planners.p", "$KV.workflows.w", "$KV.interest.p", "$KV.replicas.r", "$KV.requests.p", "$KV.nodes.demo-north",
		"$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.INFO.KV_planners", "$JS.API.STREAM.DELETE.KV_planners",
		"$JS.API.STREAM.PURGE.OC_BUS", "$JS.API.STREAM.CREATE.MINE", "$JS.API.STREAM.MSG.GET.KV_planners",
		"$JS.API.STREAM.MSG.DELETE.OC_BUS", "$JS.API.DIRECT.GET.KV_planners.$KV.planners.p", "$JS.API.DIRECT.GET.KV_planners",
		"$JS.API.CONSUMER.CREATE.KV_planners.mine", "$JS.API.CONSUMER.DELETE.OC_BUS.oc-scheduler",
		"$JS.API.CONSUMER.MSG.NEXT.OC_BUS.oc-scheduler", "$JS.API.CONSUMER.MSG.NEXT.OC_COMPUTE_IN.demo-south",
		"$JS.API.CONSUMER.CREATE.OC_COMPUTE_IN.demo-north.oc.compute.demo-south.in.msgs",
		"$JS.API.CONSUMER.DURABLE.CREATE.OC_COMPUTE_IN.demo-south", "$JS.ACK.OC_BUS.oc-scheduler.1.1.1.1.0",
		"$JS.API.CONSUMER.INFO.OC_COMPUTE_IN.demo-north", "$JS.ACK.OC_COMPUTE_IN.demo-north.1.1.1.1.0",
		"oc.compute.demo-south.out.ctrl", "oc.compute.demo-south.out.msgs", "oc.compute.demo-south.in.msgs", "oc.compute.demo-north=2E2.out.ctrl",
		"oc.compute.demo-south.logs", "oc.compute.demo-south.logs.1", "oc.compute.demo-north.in.msgs", "oc.compute.x.out.ctrl",
		"oc.dead.PROPALGATION_EVENT", "_INBOX.x", "_INBOX.demo-south.x", "_INBOX.demo-north.x", "anything",
	} {
		if err := s.peer.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		s.peer.isRefused(t, "publishing on "+subject)
	}
	for _, subject := range []string{
		events.Propagation, events.CreateResource, events.RemoveResource, ">", "*", "$KV.>", "$KV.planners.p", "$JS.>", "$JS.API.>", "$JS.EVENT.>", "$SYS.>", "_INBOX.>", "_INBOX.*.*", "_INBOX.demo-south.>",
		"oc.>", "oc.compute.>", "oc.compute.*.in.msgs", "oc.compute.demo-south.in.msgs", "oc.compute.demo-south.logs",
		"oc.compute.demo-south.out.ctrl", "oc.dead.>",
	} {
		if _, err := s.peer.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		s.peer.isRefused(t, "subscribing to "+subject)
	}
	if info, err := s.scheduler.js.Stream(t.Context(), "KV_planners"); err != nil || info.CachedInfo().State.LastSeq != 0 {
		t.Errorf("something was written into the bucket: %v", err)
	}
}

// TestTheBusIsForItsUser, and nothing else is.
func TestTheBusIsForItsUser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	heard := listen(t, s.scheduler, events.Propagation)
	for _, subject := range []string{events.Propagation, events.CreateResource, events.RemoveResource} {
		if _, err := s.bus.js.Publish(t.Context(), subject, []byte("{}")); err != nil {
			t.Errorf("%s: %v", subject, err)
		}
	}
	next(t, heard, "the scheduler hears the bus")
	for _, subject := range []string{"$KV.planners.p", "$JS.API.INFO", "oc.compute.demo-north.out.ctrl", "oc.compute.demo-north.in.msgs", "oc.dead.x"} {
		if err := s.bus.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		s.bus.isRefused(t, "publishing on "+subject)
	}
}

func TestANodeHasWhatItNeeds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := s.peer.js.Publish(ctx, "oc.compute.demo-north.out.msgs", []byte("{}")); err != nil {
		t.Error(err)
	}
	if _, err := s.scheduler.Subscribe("oc.compute.*.out.ctrl", func(m *nats.Msg) { _ = m.Respond([]byte(m.Subject)) }); err != nil {
		t.Fatal(err)
	}
	if err := s.scheduler.Flush(); err != nil {
		t.Fatal(err)
	}
	if m, err := s.peer.RequestWithContext(ctx, "oc.compute.demo-north.out.ctrl", nil); err != nil || string(m.Data) != "oc.compute.demo-north.out.ctrl" {
		t.Errorf("handshake: %v", err)
	}

	for _, to := range []string{"demo-south", "demo-north"} {
		if _, err := s.scheduler.js.Publish(ctx, "oc.compute."+to+".in.msgs", []byte(to)); err != nil {
			t.Fatal(err)
		}
	}
	order, err := s.peer.RequestWithContext(ctx, "$JS.API.CONSUMER.MSG.NEXT.OC_COMPUTE_IN.demo-north", []byte("1"))
	if err != nil || string(order.Data) != "demo-north" {
		t.Fatalf("order %v, %v", order, err)
	}

	requests, output := listen(t, s.peer, "oc.compute.demo-north.logs"), listen(t, s.scheduler, "oc.compute.demo-north.logs.42")
	if err := s.scheduler.PublishRequest("oc.compute.demo-north.logs", "oc.compute.demo-north.logs.42", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.peer.Publish(next(t, requests, "request for output").Reply, []byte("line")); err != nil {
		t.Fatal(err)
	}
	next(t, output, "output")

	for name, c := range map[string]*client{"scheduler": s.scheduler, "peer": s.peer} {
		select {
		case err := <-c.refused:
			t.Errorf("%s was refused: %v", name, err)
		default:
		}
	}
}

func listen(t *testing.T, c *client, subject string) chan *nats.Msg {
	t.Helper()
	messages := make(chan *nats.Msg, 16)
	if _, err := c.ChanSubscribe(subject, messages); err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	return messages
}

func next(t *testing.T, messages chan *nats.Msg, what string) *nats.Msg {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case m := <-messages:
		return m
	case <-ctx.Done():
		t.Fatalf("%s: did not come", what)
		return nil
	}
}
