package doctor

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store"
)

// Config says what is examined, and how it is reached.
type Config struct {
	URLs     []string      // NATS servers, at least one; each is tried
	Options  []nats.Option // credentials and TLS
	Monitors []string      // HTTP monitoring addresses of NATS servers; none: what only they tell stays unknown
	Replica  string        // HTTP address of a replica; "": none is asked
	Token    string        // what is shown to it; "": nothing
	Copies   int           // the replication that streams should have; 0: that of the planners' bucket
	CLI      []string      // flags by which the nats command gets at the servers, besides --server

	Now      func() time.Time // this machine's clock; nil: time.Now
	Settling time.Duration    // how long something may look wrong that is merely under way; 0: 1 s
}

// patience bounds one request.
const patience = 3 * time.Second

// exam is one examination under way.
type exam struct {
	Config
	report

	nc      *nats.Conn // to the first server that answered
	js      jetstream.JetStream
	streams map[string]*jetstream.StreamInfo // those of ours that stand
	alive   []string                         // replicas with a lease
	crews   map[string]string                // the peer of each node that counts for one
	tiers   map[string]jetstream.Tier        // of the account, by their names
	barred  bool                             // the user may not ask what stands on the server

	untold     []string         // streams of which the servers don't tell
	skipped    []string         // checks that need streams which are not in streams
	absent     cause            // why streams are not in streams
	hinders    cause            // why no replica can start
	told       map[string]cause // what is told once, however many it concerns
	nodesIn    [][2]string      // account and node, of each connection of a node
	replicasIn []string         // accounts of replicas

	away cause // why no NATS server is reached
}

// Run examines all it can reach; the findings are in the order in which it looked.
func Run(ctx context.Context, cfg Config) []Finding {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Settling = cmp.Or(cfg.Settling, time.Second)
	e := &exam{Config: cfg, streams: map[string]*jetstream.StreamInfo{}, told: map[string]cause{}}
	e.run(ctx, "nats", e.reach)
	if e.nc != nil {
		defer e.nc.Close()
		e.run(ctx, "permissions", e.permissions)
		e.run(ctx, "jetstream", e.jetStream)
	}
	if e.js != nil && !e.barred {
		e.examineState(ctx)
	}
	e.run(ctx, "fsync", e.monitors)
	e.run(ctx, "permissions", e.couldNodes)
	if cfg.Replica != "" {
		e.run(ctx, "replica", e.replica)
	}
	return e.findings
}

func (e *exam) examineState(ctx context.Context) {
	e.run(ctx, "streams", e.standing)
	e.run(ctx, "limits", e.limits)
	e.run(ctx, "streams", e.layout)
	e.runOn(ctx, "cluster", e.cluster)
	e.runOn(ctx, "clock", e.clocks)
	e.runOn(ctx, "interest", e.interest, store.InterestBucket, store.ReplicasBucket)
	e.runOn(ctx, "leases", e.leases, store.ReplicasBucket)
	e.runOn(ctx, "planners", e.planners, store.PlannersBucket)
	e.runOn(ctx, "nodes", e.nodes, store.NodesBucket)
	e.runOn(ctx, "offers", e.offers, store.NodesBucket, store.OffersBucket)
	e.run(ctx, "offers", e.ignored)
	e.runOn(ctx, "bookings", e.booked, store.PlanBucket)
	e.runOn(ctx, "runs", e.due, store.PlanBucket)
	e.runOn(ctx, "values", e.values)
	e.run(ctx, "consumers", e.durables)
	e.runOn(ctx, "left over", e.leftOver)
	e.run(ctx, "dead letters", e.deadLetters)
	if len(e.skipped) > 0 {
		e.follows(e.absent, "not looked at: "+strings.Join(e.skipped, ", "))
	}
	e.run(ctx, "limits", e.consumerLimits)
}

// runOn runs a check that reads buckets, if they stand; where none is named, if any stream does.
func (e *exam) runOn(ctx context.Context, check string, look func(context.Context), buckets ...string) {
	missing := len(e.streams) == 0
	for _, bucket := range buckets {
		missing = missing || e.streams["KV_"+bucket] == nil
	}
	if missing && e.absent != 0 {
		e.skipped = append(e.skipped, check)
		return
	}
	e.run(ctx, check, look)
}

func (e *exam) run(ctx context.Context, check string, look func(context.Context)) {
	e.check = check
	if ctx.Err() == nil {
		look(ctx)
	}
}

// settle waits until what is merely under way has come about.
func (e *exam) settle(ctx context.Context) {
	t := time.NewTimer(e.Settling)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
