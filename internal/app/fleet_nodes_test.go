//go:build long

package app_test

import (
	"testing"

	"oc-scheduler/internal/natstest"
)

// staying makes every client come back to its own replica.
func (f *fleet) staying(replica, _ int) string { return f.replicas[replica].URL() }

// TestAFleetOutlivesItsLeaders kills the NATS nodes that matter below a fleet of three. All clients
// stay where they are: nothing but NATS fails.
func TestAFleetOutlivesItsLeaders(t *testing.T) {
	t.Parallel()
	cluster := natstest.StartProcesses(t, 3)
	configs := onCluster(cluster, 3)
	configs[0].NATSURL = []string{cluster.MetaLeader(t).URL()} // it learns of the others there
	f := newFleet(t, cluster.Connect(t), 4, configs...)
	f.open(t, f.staying)
	f.publish(t)
	f.whole(t, "the start")
	for _, fault := range []struct {
		what   string
		victim func() *natstest.Server
	}{
		{"the death of a replica's server", func() *natstest.Server { return cluster.ServerOf(t, connectionOf(0)) }}, // the meta leader
		{"the death of the planners' leader", func() *natstest.Server { return cluster.StreamLeader(t, "KV_planners") }},
	} {
		victim := fault.victim()
		victim.Kill()
		f.publish(t)
		cluster.StreamLeader(t, "KV_planners")
		f.whole(t, fault.what)
		victim.Restart(t)
		f.publish(t)
		f.whole(t, "its return")
		cluster.AwaitHealthy(t)
	}
	f.unbroken(t)
	f.said(t, 1, 0)
	f.leave(t, 1)
}

// unbroken checks that no client has seen anything of the faults.
func (f *fleet) unbroken(t *testing.T) {
	t.Helper()
	for _, stream := range f.streams {
		if closed := stream.Closed(); len(closed) > 0 {
			t.Errorf("a stream was closed: %v", closed)
		}
	}
}

// TestAFleetOutlivesItsCluster does to a whole cluster below one fleet what operators and networks do.
func TestAFleetOutlivesItsCluster(t *testing.T) {
	t.Parallel()
	cluster := natstest.StartCluster(t, 3)
	f := newFleet(t, cluster.Connect(t), 4, onCluster(cluster, 3)...)
	f.open(t, f.staying)
	f.publish(t)
	f.whole(t, "the start")
	f.restarts(t, cluster)
	f.partition(t, cluster)
	f.outage(t, cluster)
	f.unbroken(t)
	f.said(t, 1, 0)
	f.leave(t, 1)
}

// partition takes the server of a replica away from the others without breaking any connection.
func (f *fleet) partition(t *testing.T, cluster *natstest.Cluster) {
	t.Helper()
	alone := cluster.ServerOf(t, connectionOf(0))
	world := f.js.Conn()
	for world.ConnectedUrl() == alone.URL() {
		if err := world.ForceReconnect(); err != nil {
			t.Fatal(err)
		}
		until(t, "the world has a server", world.IsConnected)
	}
	cluster.Isolate(alone)
	took := f.unready(t, f.replicas[0])
	t.Logf("the replica there says after %v that it is not ready", took)
	f.publish(t)
	f.whole(t, "a partition that lasts")
	cluster.Rejoin(alone)
	f.publish(t)
	f.whole(t, "its end")
}

// restarts takes one server after another out of service for a moment.
func (f *fleet) restarts(t *testing.T, cluster *natstest.Cluster) {
	t.Helper()
	for _, server := range cluster.Servers {
		server.Stop()
		f.publish(t)
		server.Restart(t)
		cluster.AwaitHealthy(t)
	}
	f.whole(t, "a restart of one after another")
}
