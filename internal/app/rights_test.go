package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/natstest"
)

// permitted is a server, and a configuration whose user has these permissions.
func permitted(t *testing.T, may *server.Permissions) app.Config {
	t.Helper()
	srv := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "r", Password: "pw", Permissions: may}}
	})
	c := valid()
	c.NATSURL = []string{strings.Replace(srv.URL(), "nats://", "nats://r:pw@", 1)}
	return c
}

func denied(subjects ...string) *server.SubjectPermission {
	return &server.SubjectPermission{Deny: subjects}
}

// TestAMissingRightIsNamed holds that a replica that cannot do what it is for is not ready, and says what
// it lacks. A right of each kind is taken away; package rights does so with every single one.
func TestAMissingRightIsNamed(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{
		"PROPALGATION_EVENT", "oc.dead.CREATE_RESOURCE",
		"$KV.planners.>", "$KV.workflows.>", "$KV.replicas.>", "$KV.interest.>", "$KV.executions.>",
		"$JS.API.CONSUMER.MSG.NEXT.OC_BUS.oc-scheduler", "$JS.ACK.OC_BUS.oc-scheduler.>",
		"$JS.API.STREAM.INFO.OC_BUS", "$JS.API.STREAM.INFO.KV_nodes",
		"$JS.API.CONSUMER.CREATE.KV_workflows.*.$KV.workflows.>", "$JS.API.CONSUMER.MSG.NEXT.KV_workflows.>",
		"$JS.API.CONSUMER.MSG.NEXT.OC_COMPUTE_OUT.>",
		"oc.compute.*.in.msgs", "oc.compute.*.logs", "oc.cursor.>", "_INBOX.*.answer",
	} {
		t.Run("publish "+subject, func(t *testing.T) {
			t.Parallel()
			r := start(t, permitted(t, &server.Permissions{Publish: denied(subject)}))
			r.notReadyFor(t, "rights: the NATS user may not publish on "+subject)
		})
	}
	for _, subject := range []string{"_INBOX.>", "oc.compute.*.out.ctrl", "oc.compute.*.logs.>"} {
		t.Run("subscribe "+subject, func(t *testing.T) {
			t.Parallel()
			r := start(t, permitted(t, &server.Permissions{Subscribe: denied(subject)}))
			r.notReadyFor(t, "rights: the NATS user may not subscribe to "+subject)
		})
	}
}

// TestASpareRight holds that a replica does without the rights to make or change what stands, and the one to look
// whether the bus takes writes, and mentions them.
func TestASpareRight(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "maker", Password: "pw"},
			{Username: "r", Password: "pw", Permissions: &server.Permissions{Publish: denied("$JS.API.STREAM.CREATE.>")}},
			{Username: "still", Password: "pw", Permissions: &server.Permissions{Publish: denied("$JS.API.STREAM.UPDATE.>")}},
			{Username: "blind", Password: "pw", Permissions: &server.Permissions{Publish: denied("$JS.API.STREAM.MSG.DELETE.OC_BUS")}},
		}
	})
	as := func(user string) app.Config {
		c := valid()
		c.NATSURL = []string{strings.Replace(srv.URL(), "nats://", "nats://"+user+":pw@", 1)}
		return c
	}
	maker := start(t, as("maker"))
	maker.awaitReady(t)
	for user, subject := range map[string]string{
		"r": "$JS.API.STREAM.CREATE.KV_planners", "still": "$JS.API.STREAM.UPDATE.KV_planners", "blind": "$JS.API.STREAM.MSG.DELETE.OC_BUS",
	} {
		r := start(t, as(user))
		r.awaitReady(t)
		if status, body := r.status(t, "/readyz?verbose"); status != http.StatusOK || !strings.Contains(body, "may not publish on "+subject) {
			t.Errorf("%s: %d %s", user, status, body)
		}
	}
}

// TestARightThatIsGiven holds that nobody has to restart the replica.
func TestARightThatIsGiven(t *testing.T) {
	t.Parallel()
	options := func(may *server.Permissions) *server.Options {
		return &server.Options{
			Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, NoLog: true, NoSigs: true,
			Users: []*server.User{{Username: "r", Password: "pw", Permissions: may}},
		}
	}
	opts := options(&server.Permissions{Publish: denied("$KV.workflows.>"), Subscribe: denied("oc.compute.*.out.ctrl")})
	opts.StoreDir = t.TempDir()
	srv, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	defer func() { srv.Shutdown(); srv.WaitForShutdown() }()
	if !srv.ReadyForConnections(patience) {
		t.Fatal("the server takes no connections")
	}
	c := valid()
	c.NATSURL = []string{strings.Replace(srv.ClientURL(), "nats://", "nats://r:pw@", 1)}
	r := start(t, c)
	r.notReadyFor(t, "may not subscribe to oc.compute.*.out.ctrl, and may not publish on $KV.workflows.>")
	all := options(nil)
	all.StoreDir, all.Port = opts.StoreDir, opts.Port
	if err := srv.ReloadOptions(all); err != nil {
		t.Fatal(err)
	}
	r.awaitReady(t)
	nc, err := r.Connect(t.Context(), "node")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	until(t, "nodes are heard", func() bool {
		_, err := nc.Request("oc.compute.n.out.ctrl", []byte("no handshake"), 500*time.Millisecond)
		return err == nil
	})
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}
