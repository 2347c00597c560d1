package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/doctor"
	"oc-scheduler/streams/nclprotocol"
)

// TestWhatNodesCouldDo is told of those that share the account of the replicas.
func TestWhatNodesCouldDo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(`
no_auth_user: replica
accounts {
  OC { jetstream: enabled, users: [ { user: replica, password: pw } ] }
  n2 { users: [ { user: n2, password: pw } ] }
}`), 0o600); err != nil {
		t.Fatal(err)
	}
	w := admit(t, func(o *server.Options) {
		if err := o.ProcessConfigFile(file); err != nil {
			t.Error(err)
		}
	})
	connect := func(nodeID, user string) *nats.Conn {
		t.Helper()
		nc, err := nclprotocol.Client{URL: w.srv.URL(), NodeID: nodeID, Options: []nats.Option{nats.UserInfo(user, "pw")}}.CreateClient(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	connect("n2", "n2")
	want(t, doctor.Run(t.Context(), w.cfg), doctor.OK, "permissions", "1 connected node", "apart")
	connect("n1", "replica")
	want(t, doctor.Run(t.Context(), w.cfg), doctor.Warn, "permissions", "1 connected node in the account of the replicas: n1", "reply subject")
}
