// Package deploy_test holds the shipped NATS configuration to what it promises and, with the build
// tag compose, the fleet of docker-compose.yml.
package deploy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
)

// patience bounds every wait, far above what a loaded machine takes.
const patience = 30 * time.Second

// shipped reads nats.conf as a node of the fleet does.
func shipped(t *testing.T) *server.Options {
	t.Helper()
	opts, err := server.ProcessConfigFile("nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	return opts
}

// rewritten is nats.conf with something in place of something else.
func rewritten(t *testing.T, what, by string) (file string) {
	t.Helper()
	config, err := os.ReadFile("nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(config), what) != 1 {
		t.Fatalf("nats.conf does not have %s once", what)
	}
	file = filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(strings.Replace(string(config), what, by, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestNodesKeepWhatTheyAcknowledge(t *testing.T) {
	t.Parallel()
	opts := shipped(t)
	if !opts.SyncAlways || opts.MaxPayload != 9<<20 || opts.JetStreamMaxStore <= 0 || opts.JetStreamMaxMemory <= 0 {
		t.Errorf("sync always %v, payload %d, store limits %d and %d", opts.SyncAlways, opts.MaxPayload, opts.JetStreamMaxStore, opts.JetStreamMaxMemory)
	}
	if opts.MaxPayload < events.MaxMessageSize {
		t.Error("a message of the bus does not fit")
	}
	if opts.Cluster.Username == "" || opts.NoAuthUser != "" {
		t.Error("strangers are let in")
	}
}

// node runs one node of nats.conf by itself, on any port.
func node(t *testing.T) *server.Server {
	t.Helper()
	return start(t, shipped(t))
}

// alone are the options of a node that needs no other one, nor a port of its own.
func alone(t *testing.T, opts *server.Options) *server.Options {
	t.Helper()
	opts.Host, opts.Port, opts.HTTPPort = "127.0.0.1", server.RANDOM_PORT, 0
	opts.StoreDir, opts.Cluster, opts.Routes = t.TempDir(), server.ClusterOpts{}, nil
	opts.NoSigs, opts.NoLog = true, true
	return opts
}

func start(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(alone(t, opts))
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the node does not accept connections")
	}
	return s
}

// client is a connection of one user, and what the server refuses it.
type client struct {
	*nats.Conn
	js      jetstream.JetStream
	refused chan error
}

func dial(t *testing.T, s *server.Server, user, inbox string) *client {
	t.Helper()
	return dialURL(t, s.ClientURL(), user, inbox)
}

func dialURL(t *testing.T, url, user, inbox string) *client {
	t.Helper()
	return dialAs(t, url, inbox, nats.UserInfo(user, user))
}

func dialAs(t *testing.T, url, inbox string, who nats.Option) *client {
	t.Helper()
	c := &client{refused: make(chan error, 16)}
	closed := make(chan struct{})
	var err error
	c.Conn, err = nats.Connect(url, who, nats.CustomInboxPrefix(inbox),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			select {
			case c.refused <- err:
			default: // nobody looks
			}
		}),
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); <-closed })
	if c.js, err = jetstream.New(c.Conn); err != nil {
		t.Fatal(err)
	}
	return c
}

// isRefused fails the test unless the server refuses what has just been sent, and nothing else.
func (c *client) isRefused(t *testing.T, what string) {
	t.Helper()
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-c.refused:
		if !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(patience):
		t.Errorf("%s: was not refused", what)
	}
}

func TestStrangersAreNotLetIn(t *testing.T) {
	t.Parallel()
	s := node(t)
	for name, opt := range map[string]nats.Option{
		"nobody": nats.Name("nobody"), "wrong password": nats.UserInfo("scheduler", "wrong"), "unknown": nats.UserInfo("peer-x", "peer-x"),
		"another's password": nats.UserInfo("demo-north", "demo-south"), "route": nats.UserInfo("route", "route"),
	} {
		if nc, err := nats.Connect(s.ClientURL(), opt); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: %v", name, err)
			if nc != nil {
				nc.Close()
			}
		}
	}
}
