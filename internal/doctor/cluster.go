package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// lagging is how many operations a copy may be behind without a word.
const lagging = 1000

// cluster looks at the copies of each stream.
func (e *exam) cluster(context.Context) {
	before, single, replicated := len(e.findings), []string(nil), 0
	for _, name := range slices.Sorted(maps.Keys(e.streams)) {
		info := e.streams[name]
		switch {
		case info.Cluster == nil || info.Cluster.Name == "":
		case info.Config.Replicas > 1:
			replicated++
			e.group("stream "+name, info.Cluster, info.Config.Replicas)
		default:
			single = append(single, name)
		}
	}
	if len(single) > 0 {
		e.warn(fmt.Sprintf("one copy only, in a cluster: %s; when its server is away, so is the scheduler", some(single)),
			e.mendCopies(single)+"; then --js-replicas 3 for each replica")
	}
	switch {
	case len(e.findings) > before:
	case replicated > 0:
		e.ok("all copies of %s are current", counted(replicated, "stream"))
	default:
		e.ok("one server, no copies")
	}
}

// group looks at the servers that keep one stream or consumer.
func (e *exam) group(what string, group *jetstream.ClusterInfo, copies int) {
	if group.Leader == "" {
		e.once("no leader", Fail, what+" has no leader: nothing can be written to it",
			"start the servers that are away: a majority of its copies must run (`"+e.nats("server report jetstream")+"` with a user of the system account)")
		return
	}
	if have := len(group.Replicas) + 1; have < copies {
		e.once("copies", Warn, fmt.Sprintf("%s has %d of %d copies", what, have, copies), "the cluster needs a server more: start it, and the copy is made")
	}
	for _, peer := range group.Replicas {
		switch {
		case peer.Offline:
			e.once("offline "+peer.Name, Warn, fmt.Sprintf("%s: its copy on %s is offline", what, peer.Name), "start that server; one more that goes away stops all writes")
		case !peer.Current || peer.Lag > lagging:
			e.once("behind "+peer.Name, Warn, fmt.Sprintf("%s: its copy on %s is %d operations behind, last heard %v ago", what, peer.Name, peer.Lag, peer.Active),
				"wait until it has caught up before another server is stopped; if it does not, look at that server's log, disk and network")
		}
	}
}
