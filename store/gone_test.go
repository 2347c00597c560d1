package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/workflow"
)

// What was removed stays gone when the server is killed. A server that reads its files again after that
// has forgotten which values were replaced by others, and shows the last of a key whose marker has
// expired: beside what is removed here, that happens to a key whose marker was given an end.
func TestWhatWasRemovedStaysGoneWhenTheServerIsKilled(t *testing.T) {
	t.Parallel()
	srv := natstest.StartProcess(t)
	st, js := open(t, srv, store.Config{})
	remove := removals(t, st)
	for what, r := range remove {
		for n := range 4 {
			r.write(n)
		}
		r.remove()
		t.Log(what, "is removed")
	}
	workflows, err := js.KeyValue(t.Context(), store.WorkflowsBucket)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		putWorkflow(t, st, "returns", n)
	}
	if err := workflows.Purge(t.Context(), "returns", jetstream.PurgeTTL(time.Second)); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the marker with an end expires", func() bool {
		_, err := newestOf(t, js, "$KV.workflows.returns")
		return errors.Is(err, jetstream.ErrMsgNotFound)
	})
	for n := range 3 { // the server has written since
		putWorkflow(t, st, fmt.Sprint("later", n), n)
	}
	srv.Kill()
	srv.Restart(t)
	natstest.Eventually(t, "the connection is back", js.Conn().IsConnected)
	natstest.Eventually(t, "the server's fault shows", func() bool {
		_, err := st.Workflows.Get(t.Context(), "returns")
		return err == nil
	})
	for what, r := range remove {
		m, err := newestOf(t, js, r.subject)
		if err != nil || m.Header.Get("KV-Operation") != "PURGE" || m.Header.Get("Nats-TTL") != "" {
			t.Errorf("%s: %v, %v: want a marker without an end", what, m, err)
		}
	}
}

type removal struct {
	subject string
	write   func(n int)
	remove  func()
}

// removals are the values that have no end of their own.
func removals(t *testing.T, st *store.Store) map[string]removal {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return map[string]removal{
		"a workflow": {
			"$KV.workflows.http",
			func(n int) { putWorkflow(t, st, "http", n) },
			func() { must(st.Workflows.Delete(t.Context(), "http", access.Anonymous, store.Condition{})) },
		},
		"a workflow of the bus": {
			"$KV.workflows.bus",
			func(n int) { putWorkflow(t, st, "bus", n) },
			func() {
				_, err := st.Workflows.Remove(t.Context(), "bus", at(9))
				must(err)
			},
		},
		"an interest": {
			"$KV.interest.p",
			func(n int) { must(st.Interest.Add(t.Context(), "p", fmt.Sprint("r", n))) },
			func() {
				for n := range 4 {
					_, err := st.Interest.Remove(t.Context(), "p", fmt.Sprint("r", n))
					must(err)
				}
				must(st.Interest.Forget(t.Context(), "p"))
			},
		},
		"a node": {
			"$KV.nodes.n",
			func(n int) {
				_, err := st.Nodes.Change(t.Context(), "n", func(*store.NodeRecord) (*store.NodeRecord, error) {
					return &store.NodeRecord{NodeID: "n", Standing: store.Standing{Membership: store.Approved}, Connection: store.Connection{Generation: uint64(n)}}, nil
				})
				must(err)
			},
			func() { must(st.Nodes.Remove(t.Context(), "n")) },
		},
		"an offer": {
			"$KV.offers.o",
			func(n int) {
				begin(t, st, "o", "s")
				_, err := st.Offers.Keep(t.Context(), "o", store.Telling{Session: "s", Sequence: uint64(n)}, offering("i"))
				must(err)
			},
			func() {
				must(st.Nodes.Remove(t.Context(), "o"))
				must(st.Offers.Forget(t.Context(), "o"))
			},
		},
	}
}

func putWorkflow(t *testing.T, st *store.Store, workflowID string, n int) {
	t.Helper()
	raw := fmt.Appendf(nil, `{"id":%q,"name":"v%d","graph":{"items":{}}}`, workflowID, n)
	if _, err := workflow.Decode(raw); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := st.Workflows.Put(t.Context(), workflowID, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil {
		t.Fatal(err)
	}
}

func newestOf(t *testing.T, js jetstream.JetStream, subject string) (*jetstream.RawStreamMsg, error) {
	t.Helper()
	name, err := js.StreamNameBySubject(t.Context(), subject)
	if err != nil {
		return nil, err
	}
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		return nil, err
	}
	return stream.GetLastMsgForSubject(t.Context(), subject)
}

// A value that has an end has it before the marker of its removal has: what a killed server brings back
// is over.
func TestAMarkerOutlivesWhatItRemoves(t *testing.T) {
	t.Parallel()
	const long = 90 * time.Hour
	st, js := open(t, natstest.Start(t), store.Config{PlannerTTL: long})
	for _, peer := range []string{"unwatched", "departed"} {
		apply(t, st, plannerJSON(peer, now, 1), arrived(1))
	}
	if err := st.Planners.End(t.Context(), "unwatched", "", always); err != nil {
		t.Fatal(err)
	}
	if err := st.Planners.Depart(t.Context(), "departed", time.Time{}); err != nil {
		t.Fatal(err)
	}
	pulse := store.Pulse{Session: "s"}
	if _, err := st.Liveness.Beat(t.Context(), "n", pulse, long); err != nil {
		t.Fatal(err)
	}
	if err := st.Liveness.End(t.Context(), "n", pulse.Session); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"$KV.planners.unwatched", "$KV.planners.departed", "$KV.liveness.n"} {
		m, err := newestOf(t, js, subject)
		if err != nil {
			t.Fatal(err)
		}
		if ttl := ttlOf(t, m.Header); ttl < long {
			t.Errorf("%s: the marker lives for %v", subject, ttl)
		}
	}
}

func ttlOf(t *testing.T, h nats.Header) time.Duration {
	t.Helper()
	ttl, err := time.ParseDuration(h.Get(jetstream.MsgTTLHeader))
	if err != nil {
		t.Fatal(err)
	}
	return ttl
}

// Others remove too, with a marker that has an end, as versions before did.
func TestARemovalByOthersIsKept(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := open(t, srv, store.Config{})
	for _, r := range removals(t, st) {
		r.write(0)
		name, key, _ := strings.Cut(strings.TrimPrefix(r.subject, "$KV."), ".")
		bucket, err := js.KeyValue(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if err := bucket.Purge(t.Context(), key, jetstream.PurgeTTL(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Run(t, st.Run)
	for name, r := range removals(t, st) {
		keptForEver(t, js, name, r.subject)
	}
}

func keptForEver(t *testing.T, js jetstream.JetStream, what, subject string) {
	t.Helper()
	natstest.Eventually(t, what+" has a marker without an end", func() bool {
		m, err := newestOf(t, js, subject)
		return err == nil && m.Header.Get("KV-Operation") == "PURGE" && m.Header.Get("Nats-TTL") == ""
	})
}
