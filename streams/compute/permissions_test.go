package compute_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
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

// rights are what a node's user lacks, and whether it can take part without.
var rights = map[string]struct {
	take  func(node string, may *server.Permissions)
	parts bool
}{
	"deaf": {take: func(node string, may *server.Permissions) { // to it, the scheduler is silent
		may.Subscribe.Allow = []string{nclprotocol.LogSubject(node)}
	}},
	"mute": {take: func(node string, may *server.Permissions) {
		may.Publish.Allow = []string{nclprotocol.OutSubject(node)}
	}},
	"no-events": {take: func(node string, may *server.Permissions) {
		may.Publish.Deny = []string{nclprotocol.OutSubject(node)}
	}},
	"no-orders": {take: func(_ string, may *server.Permissions) {
		may.Publish.Deny = []string{"$JS.API.CONSUMER.MSG.NEXT.>"}
	}},
	"no-output": {parts: true, take: func(node string, may *server.Permissions) {
		may.Publish.Deny = []string{nclprotocol.LogStreamSubject(node, ">")}
	}},
	"no-readers": {parts: true, take: func(node string, may *server.Permissions) {
		may.Subscribe.Deny = []string{nclprotocol.LogSubject(node)}
	}},
}

// TestALackOfRightsIsTold by LastError, or, when the node can take part without, in its log.
func TestALackOfRightsIsTold(t *testing.T) {
	t.Parallel()
	users := []*server.User{{Username: "scheduler", Password: "scheduler"}}
	for node, lacks := range rights {
		user := nodeUser(node)
		lacks.take(node, user.Permissions)
		users = append(users, user)
	}
	s := natstest.Start(t, func(o *server.Options) { o.Users = users })
	asScheduler := nats.UserInfo("scheduler", "scheduler")
	for node, lacks := range rights {
		t.Run(node, func(t *testing.T) {
			m, store, log := &memory{}, watcher.NewMemoryStore(), &notes{}
			startOrchestrator(t, s, node, m, nil, asScheduler).send(1)
			produce(t, store, 1, 1)
			var violations atomic.Int32
			c := configure(t, s.URL(), node, &worker{}, store)
			c.LogStreamServer, c.Logger = oneLog{}, slog.New(slog.NewTextHandler(log, nil))
			c.ClientFactory = nclprotocol.Client{URL: s.URL(), NodeID: node, Options: []nats.Option{
				nats.UserInfo(node, node),
				nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) { violations.Add(1) }),
			}}
			c.RequestTimeout = 200 * time.Millisecond
			cm := start(t, c)
			if lacks.parts {
				handled(t, m, 1)
				r, err := logstream.Client{Conn: s.Connect(t, asScheduler), AnswerWithin: time.Second, NodeGone: time.Second}.
					Open(t.Context(), node, logstream.Request{ExecutionID: "e1"})
				if err == nil {
					_ = r.Close()
					t.Error("it has output after all")
				}
				connected(t, cm)
			} else {
				natstest.Eventually(t, "it says why it can't take part", func() bool {
					return errors.Is(cm.GetHealth().LastError, nats.ErrPermissionViolation)
				})
			}
			natstest.Eventually(t, "the log says it, and whoever else listens hears it", func() bool {
				return strings.Contains(log.String(), "NATS refuses") && violations.Load() > 0
			})
			if lacks.parts && m.sessions() > 1 {
				t.Error("the session ended for that")
			}
		})
	}
}

// notes are what was logged.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}
