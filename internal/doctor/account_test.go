package doctor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/doctor"
	"oc-scheduler/internal/natstest"
)

// configured starts a server with a configuration file, as an operator does.
func configured(t *testing.T, config string) *natstest.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return natstest.Start(t, func(o *server.Options) {
		if err := o.ProcessConfigFile(file); err != nil {
			t.Fatal(err)
		}
	})
}

func examine(t *testing.T, srv *natstest.Server, user string) []doctor.Finding {
	t.Helper()
	return doctor.Run(t.Context(), doctor.Config{URLs: []string{srv.URL()}, Options: []nats.Option{nats.UserInfo(user, "pw")}})
}

const accounts = `
accounts {
  WITH {
    jetstream: { max_streams: 3, max_consumers: 2, max_ack_pending: 100, max_bytes_required: true, max_file: 1MB }
    users: [
      { user: free, password: pw }
      { user: peer, password: pw, permissions { publish: [PROPALGATION_EVENT, "$JS.API.INFO", "_INBOX.>"] } }
      { user: mute, password: pw, permissions { publish: { deny: "_INBOX.>" } } }
      { user: deaf, password: pw, permissions { subscribe: { deny: "_INBOX.>" } } }
    ]
  }
  WITHOUT { users: [ { user: other, password: pw } ] }
}`

func TestAccounts(t *testing.T) {
	t.Parallel()
	srv := configured(t, accounts)

	t.Run("wrong password", func(t *testing.T) {
		t.Parallel()
		found := examine(t, srv, "nobody")
		f := want(t, found, doctor.Fail, "nats", "Authorization Violation")
		if !holds(f.Mend, []string{"--nats-creds"}) {
			t.Errorf("mend: %s", f.Mend)
		}
	})
	t.Run("an account without JetStream", func(t *testing.T) {
		t.Parallel()
		want(t, examine(t, srv, "other"), doctor.Fail, "jetstream", "not enabled for the account")
	})
	t.Run("limits", func(t *testing.T) {
		t.Parallel()
		found := examine(t, srv, "free")
		want(t, found, doctor.OK, "permissions", "all")
		want(t, found, doctor.Fail, "limits", fmt.Sprintf("max_streams is 3; 0 are there and %d more are needed", streams))
		want(t, found, doctor.Warn, "limits", "max_consumers is 2", "1 replica may need 3")
		want(t, found, doctor.Fail, "limits", "max_ack_pending is 100", "8000")
		want(t, found, doctor.Fail, "limits", "wants a size limit")
	})
	t.Run("a peer's user", func(t *testing.T) {
		t.Parallel()
		f := want(t, examine(t, srv, "peer"), doctor.Fail, "permissions", "may not publish on", "more")
		if !holds(f.Mend, []string{"$KV.>", "oc.dead.>"}) {
			t.Errorf("mend: %s", f.Mend)
		}
	})
	t.Run("a user whose permissions cannot be seen", func(t *testing.T) {
		t.Parallel()
		want(t, examine(t, srv, "mute"), doctor.Unknown, "permissions", "may publish")
	})
	t.Run("a user that hears no answer", func(t *testing.T) {
		t.Parallel()
		found := examine(t, srv, "deaf")
		want(t, found, doctor.Fail, "permissions", "may not subscribe to _INBOX.>")
		want(t, found, doctor.Fail, "jetstream", "does not answer")
	})
}

// TestPermissionsByTheList holds that what is told to be permitted is enough.
func TestPermissionsByTheList(t *testing.T) {
	t.Parallel()
	srv := configured(t, `
accounts { A { jetstream: enabled, users: [ { user: scheduler, password: pw, permissions {
  publish: [PROPALGATION_EVENT, CREATE_RESOURCE, REMOVE_RESOURCE, "oc.dead.>", "oc.history.>", "oc.compute.*.in.msgs", "oc.compute.*.logs", "oc.cursor.*", "$KV.>", "$JS.API.>", "$JS.ACK.>", "_INBOX.>", "_R_.>"]
  subscribe: ["oc.compute.>", "_INBOX.>"]
} } ] } }`)
	want(t, examine(t, srv, "scheduler"), doctor.OK, "permissions", "all")
}
