package doctor

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Config says what is examined, and how it is reached.
type Config struct {
	URLs     []string      // NATS servers, at least one; each is tried
	Options  []nats.Option // credentials and TLS
	Monitors []string      // HTTP monitoring addresses of NATS servers; none: what only they tell stays unknown
	Replica  string        // HTTP address of a replica; "": none is asked
	Copies   int           // the replication that streams should have; 0: that of the planners' bucket

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
	barred  bool                             // the user may not ask what stands on the server
}

// Run examines all it can reach; the findings are in the order in which it looked.
func Run(ctx context.Context, cfg Config) []Finding {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Settling == 0 {
		cfg.Settling = time.Second
	}
	e := &exam{Config: cfg, streams: map[string]*jetstream.StreamInfo{}}
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
	if cfg.Replica != "" {
		e.run(ctx, "replica", e.replica)
	}
	return e.findings
}

func (e *exam) examineState(ctx context.Context) {
	e.run(ctx, "streams", e.layout)
	e.run(ctx, "cluster", e.cluster)
	e.run(ctx, "clock", e.clocks)
	e.run(ctx, "interest", e.interest)
	e.run(ctx, "leases", e.leases)
	e.run(ctx, "planners", e.planners)
	e.run(ctx, "nodes", e.nodes)
	e.run(ctx, "values", e.values)
	e.run(ctx, "consumers", e.durables)
	e.run(ctx, "left over", e.leftOver)
	e.run(ctx, "dead letters", e.deadLetters)
	e.run(ctx, "limits", e.limits)
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
