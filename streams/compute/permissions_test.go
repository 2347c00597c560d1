package compute_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// nodeUser may do what a node needs, and nothing else.
func nodeUser(node string) *server.User {
	consumer := nclprotocol.InStream + "." + nclprotocol.InConsumer(node)
	return &server.User{Username: node, Password: node, Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			nclprotocol.ControlSubject(node), nclprotocol.OutSubject(node), nclprotocol.LogStreamSubject(node, ">"),
			"$JS.API.CONSUMER.MSG.NEXT." + consumer,
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{
			nclprotocol.LogSubject(node), nclprotocol.InboxPrefix(node) + ".>",
		}},
	}}
}

// A node needs no more of NATS than its own subjects.
func TestPermissions(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "scheduler", Password: "scheduler"}, nodeUser("n1")}
	})
	asScheduler, asNode := nats.UserInfo("scheduler", "scheduler"), nats.UserInfo("n1", "n1")
	m, w, store := &memory{}, &worker{}, watcher.NewMemoryStore()
	o := startOrchestrator(t, s, "n1", m, nil, asScheduler)
	var mu sync.Mutex
	var violations []error
	c := configure(t, s.URL(), "n1", w, store)
	c.LogStreamServer = oneLog{}
	c.ClientFactory = nclprotocol.Client{URL: s.URL(), NodeID: "n1", Options: []nats.Option{
		asNode,
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			mu.Lock()
			defer mu.Unlock()
			violations = append(violations, err)
		}),
	}}
	cm := start(t, c)
	produce(t, store, 1, 5)
	o.send(1)
	handled(t, m, 5)
	ordered(t, w, 1)
	r, err := logstream.Open(t.Context(), s.Connect(t, asScheduler), "n1", logstream.Request{ExecutionID: "e1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(context.Background()); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	w.setInfo(nclprotocol.NodeInfo{Version: "2"})
	natstest.Eventually(t, "an update", func() bool { return m.count(func(m *memory) int { return len(m.updates) }) == 1 })
	stop(t, cm)
	if n := m.count(func(m *memory) int { return m.goodbyes }); n != 1 {
		t.Errorf("%d goodbyes", n)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(violations) > 0 {
		t.Errorf("violations: %v", violations)
	}
}

// TestALackOfRightsIsTold: to a node that may not hear answers, the scheduler is silent.
func TestALackOfRightsIsTold(t *testing.T) {
	t.Parallel()
	deaf, mute := nodeUser("deaf"), nodeUser("mute")
	deaf.Permissions.Subscribe.Allow = []string{nclprotocol.LogSubject("deaf")}
	mute.Permissions.Publish.Allow = []string{nclprotocol.OutSubject("mute")}
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "scheduler", Password: "scheduler"}, deaf, mute}
	})
	for _, node := range []string{"deaf", "mute"} {
		startOrchestrator(t, s, node, &memory{}, nil, nats.UserInfo("scheduler", "scheduler"))
		c := configure(t, s.URL(), node, &worker{}, watcher.NewMemoryStore())
		c.ClientFactory = nclprotocol.Client{URL: s.URL(), NodeID: node, Options: []nats.Option{nats.UserInfo(node, node)}}
		c.RequestTimeout = 200 * time.Millisecond
		cm := start(t, c)
		natstest.Eventually(t, node+" says why it can't connect", func() bool {
			return errors.Is(cm.GetHealth().LastError, nats.ErrPermissionViolation)
		})
	}
}
