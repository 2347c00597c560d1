package deploy_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"oc-scheduler/internal/natsconf"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/orchestrator"
)

// fort is a server with all that replicas keep there, a careless replica, and a node that attacks it all.
type fort struct {
	*testing.T
	scheduler, attacker *client
}

// besiege fills a server; connect is a connection of one of its users.
func besiege(t *testing.T, connect func(user string) *client) *fort {
	t.Helper()
	f := &fort{t, connect("scheduler"), connect("demo-north")}
	if _, err := store.Open(t.Context(), f.scheduler.js, store.Config{Replicas: 1}, slog.New(slog.DiscardHandler), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := events.OpenBus(t.Context(), f.scheduler.js, 1); err != nil {
		t.Fatal(err)
	}
	for _, x := range orchestrator.Expect(1) {
		if _, err := f.scheduler.js.CreateStream(t.Context(), x.Stream); err != nil {
			t.Fatal(err)
		}
	}
	for _, bucket := range []string{"planners", "workflows", "tokens", "plan", "interest", "nodes", "offers"} {
		f.store(f.scheduler, "$KV."+bucket+".demo-south")
	}
	f.store(f.scheduler, events.CreateResource)
	f.store(f.scheduler, "oc.cursor.demo-south")
	f.store(connect("demo-south"), nclprotocol.OutSubject("demo-south"))
	for _, nodeID := range []string{"demo-north", "demo-south"} {
		f.store(f.scheduler, nclprotocol.InSubject(nodeID))
		if _, err := f.scheduler.js.CreateConsumer(t.Context(), nclprotocol.InStream, nclprotocol.InConsumerLayout(nodeID, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.scheduler.Subscribe(nclprotocol.AllControl, func(m *nats.Msg) { _ = m.Respond([]byte("answered, wherever that goes")) }); err != nil {
		t.Fatal(err)
	}
	if err := f.scheduler.Flush(); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fort) store(as *client, subject string) {
	f.Helper()
	if _, err := as.js.Publish(f.Context(), subject, []byte("whole")); err != nil {
		f.Fatalf("%s: %v", subject, err)
	}
}

// stands is all that the server keeps, but for the attacker's own events.
func (f *fort) stands() map[string]string {
	f.Helper()
	all := map[string]string{}
	streams := f.scheduler.js.ListStreams(f.Context())
	for info := range streams.Info() {
		s, name := info.State, info.Config.Name
		if name == nclprotocol.OutStream {
			all[name] = f.eventsOfOthers()
			continue
		}
		all[name] = fmt.Sprintf("%d messages, %d to %d, %d consumers", s.Msgs, s.FirstSeq, s.LastSeq, s.Consumers)
	}
	if err := streams.Err(); err != nil {
		f.Fatal(err)
	}
	return all
}

func (f *fort) eventsOfOthers() string {
	f.Helper()
	out, err := f.scheduler.js.Stream(f.Context(), nclprotocol.OutStream)
	if err != nil {
		f.Fatal(err)
	}
	info, err := out.Info(f.Context(), jetstream.WithSubjectFilter(">"))
	if err != nil {
		f.Fatal(err)
	}
	delete(info.State.Subjects, nclprotocol.OutSubject("demo-north"))
	return fmt.Sprint(info.State.Subjects)
}

// unharmed fails unless all stands as it did before the attack, which the server has seen to its end.
func (f *fort) unharmed(before map[string]string, what string) {
	f.Helper()
	f.store(f.attacker, nclprotocol.OutSubject("demo-north"))
	now := f.stands()
	for name, stood := range before {
		if now[name] != stood {
			f.Errorf("%s: %s had %s, and has %s", what, name, stood, now[name])
		}
	}
}

// targets are where somebody else's words would do harm.
var targets = []string{
	"$KV.nodes.demo-south", "$KV.nodes.new", "$KV.planners.demo-south", "$KV.workflows.demo-south", "$KV.tokens.new", "$KV.plan.demo-south",
	"$KV.interest.demo-south", "$KV.offers.demo-south", "$KV.partitions.00", "oc.cursor.demo-south", "oc.cursor.demo-north",
	"oc.compute.demo-south.in.msgs", "oc.compute.demo-north.in.msgs", "oc.compute.demo-south.out.msgs", "oc.dead.x",
	events.Propagation, events.CreateResource, "$JS.API.STREAM.DELETE.KV_planners", "$JS.API.STREAM.PURGE.KV_nodes",
	"$JS.API.CONSUMER.DELETE.OC_COMPUTE_IN.demo-south", "$JS.API.STREAM.CREATE.MINE",
}

// voices are the requests of a node that somebody answers.
var voices = map[string]string{
	nclprotocol.OutSubject("demo-north"):                 "stored, and acknowledged",
	nclprotocol.ControlSubject("demo-north"):             "a request",
	nclprotocol.LogStreamSubject("demo-north", "s"):      "output",
	"$JS.API.CONSUMER.MSG.NEXT.OC_COMPUTE_IN.demo-north": `{"batch": 5, "no_wait": true}`,
}

// generated is a server of a configuration that nats-config makes, and what shows that one is who he says.
func generated(t *testing.T, nodeIDs ...string) (*server.Server, map[string]nats.Option) {
	t.Helper()
	made, err := natsconf.New(nodeIDs)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := made.Write(&text); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !opts.SyncAlways || opts.MaxPayload != 9<<20 {
		t.Errorf("sync always %v, payload %d", opts.SyncAlways, opts.MaxPayload)
	}
	users := map[string]nats.Option{}
	for _, u := range made.Users() {
		pair, err := nkeys.FromSeed([]byte(u.Seed))
		if err != nil {
			t.Fatal(err)
		}
		users[u.Name] = nats.Nkey(u.Public, pair.Sign)
	}
	return start(t, opts), users
}

// besieged are the servers that a node attacks.
func besieged(t *testing.T) map[string]*fort {
	t.Helper()
	srv := node(t)
	made, users := generated(t, "demo-north", "demo-south")
	return map[string]*fort{
		"nats.conf": besiege(t, func(user string) *client { return dial(t, srv, user, "_INBOX."+user) }),
		"nats-config": besiege(t, func(user string) *client {
			return dialAs(t, made.ClientURL(), "_INBOX."+user, users[user])
		}),
	}
}

// TestForgedRepliesHarmNothing: what the server and the replicas answer to a node goes to that node alone, whatever
// reply subject it names.
func TestForgedRepliesHarmNothing(t *testing.T) {
	t.Parallel()
	for name, f := range besieged(t) {
		before := f.stands()
		for subject, body := range voices {
			for _, target := range targets {
				if err := f.attacker.PublishRequest(subject, target, []byte(body)); err != nil {
					t.Fatal(err)
				}
			}
			f.unharmed(before, name+": replies to "+subject)
		}
	}
}

// TestReservedRepliesAreRefused: acknowledgements of others' messages, and answers to others' requests.
func TestReservedRepliesAreRefused(t *testing.T) {
	t.Parallel()
	for name, f := range besieged(t) {
		for subject := range voices {
			for _, reply := range []string{"$JS.ACK.OC_BUS.oc-scheduler.1.1.1.1.0", "_R_.abcdef.ghijkl", "_GR_.a.b.c"} {
				if err := f.attacker.PublishRequest(subject, reply, nil); err != nil {
					t.Fatal(err)
				}
				select {
				case err := <-f.attacker.refused:
					if !errors.Is(err, nats.ErrPermissionViolation) {
						t.Errorf("%s: %s with the reply subject %s: %v", name, subject, reply, err)
					}
				case <-time.After(patience):
					t.Errorf("%s: %s may have its answer on %s", name, subject, reply)
				}
			}
		}
	}
}

// TestHeadersOfAnEventHarmNothing: what JetStream does for a header, it does not for a node.
func TestHeadersOfAnEventHarmNothing(t *testing.T) {
	t.Parallel()
	for name, f := range besieged(t) {
		before := f.stands()
		for header, values := range map[string][]string{
			"Nats-Rollup":          {"all", "sub"},
			"Nats-Trace-Dest":      targets,
			"Nats-Schedule-Target": targets,
			"Nats-TTL":             {"1s", "never"},
			"Nats-Marker-Reason":   {"MaxAge"},
			"KV-Operation":         {"PURGE"},
		} {
			for _, value := range values {
				m := nats.NewMsg(nclprotocol.OutSubject("demo-north"))
				m.Header.Set(header, value)
				m.Header.Set("Nats-Schedule", "@at "+time.Now().Format(time.RFC3339))
				if header != "Nats-Schedule-Target" {
					m.Header.Del("Nats-Schedule")
				}
				if err := f.attacker.PublishMsg(m); err != nil {
					t.Fatal(err)
				}
			}
			f.unharmed(before, name+": "+header)
		}
	}
}

// TestAnAccountHasItsNodesSubjectsAlone: one that imports what is another node's is not taken on.
func TestAnAccountHasItsNodesSubjectsAlone(t *testing.T) {
	t.Parallel()
	shipped(t)
	for _, foreign := range []string{"oc.compute.demo-south.out.ctrl", "oc.compute.*.out.msgs", "$JS.API.CONSUMER.MSG.NEXT.OC_COMPUTE_IN.demo-south"} {
		file := rewritten(t, `service: { account: OC, subject: "oc.compute.demo-north.out.ctrl" }`, fmt.Sprintf("service: { account: OC, subject: %q }", foreign))
		opts, err := server.ProcessConfigFile(file)
		if err != nil {
			continue
		}
		if s, err := server.NewServer(alone(t, opts)); err == nil {
			s.Shutdown()
			t.Errorf("the account of demo-north imports %s", foreign)
		}
	}
}
