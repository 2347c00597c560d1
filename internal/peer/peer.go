// Package peer is a compute node of a site: it keeps room for bookings, runs executions, keeps their
// output, and publishes the site's planner.
//
// Two connections lead to the scheduler's NATS servers. On one, streams/compute brings orders and takes
// events; on the other, the bus, the node answers requests for its peer's planner as the discovery
// service of the site would. Both may come and go: all that is promised is in the ledger on the node's
// disk, and each change is there before it takes effect.
//
// Life: New opens the ledger and says what became of executions that ran when the node ended; Run works
// until its context ends, then ends what runs, says goodbye to the scheduler, and closes the ledger.
package peer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/internal/peer/execute"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// Links are a node's ways to NATS.
type Links struct {
	Compute nclprotocol.ClientFactory // a connection for each session with the scheduler
	Bus     *nats.Conn                // stays the caller's
}

// Peer is one node.
type Peer struct {
	log     *slog.Logger
	store   *watcher.BoltStore
	files   *logstream.Files
	runner  *runner
	planner *publisher
	busy    *busy
	manager *compute.ConnectionManager
}

// goodbyeWithin bounds the end of the connection and of the ledger.
const goodbyeWithin = 10 * time.Second

// ConfigError is a fault of the configuration: no retry helps, an operator has to act.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }

func (e *ConfigError) Unwrap() error { return e.Err }

// New opens a node's ledger and subscribes to the bus; Run must be called. It fails with a *ConfigError
// that says what Config.Validate does, or why the data directory is of no use, with watcher.ErrInUse when
// another process has it, or as the disk or NATS do.
func New(ctx context.Context, cfg Config, links Links, log *slog.Logger) (*Peer, error) {
	cfg.SetDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, &ConfigError{err}
	}
	store, err := openLedger(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	log = log.With("node_id", cfg.NodeID)
	p := &Peer{log: log.With("component", "peer"), store: store}
	if err := p.build(ctx, cfg, links, log); err != nil {
		return nil, errors.Join(err, store.Close(context.WithoutCancel(ctx)))
	}
	return p, nil
}

func openLedger(dir string) (*watcher.BoltStore, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &ConfigError{fmt.Errorf("data_dir: %w", err)}
	}
	store, err := watcher.OpenBolt(filepath.Join(dir, "ledger.db"))
	switch {
	case errors.Is(err, watcher.ErrInUse): // until that process ends
		return nil, fmt.Errorf("data_dir: %w", err)
	case err != nil:
		return nil, &ConfigError{fmt.Errorf("data_dir: %w", err)}
	}
	return store, nil
}

// build makes the parts, those that others need first.
func (p *Peer) build(ctx context.Context, cfg Config, links Links, log *slog.Logger) error {
	clock := clockwork.NewRealClock()
	book, err := ledger.Open(ctx, p.store, cfg.Resources, clock)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	output := cfg.Output.files()
	output.Logger = p.log
	if p.files, err = logstream.NewFiles(filepath.Join(cfg.DataDir, "output"), output); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	executor, err := execute.New(cfg.Executor, filepath.Join(cfg.DataDir, "work"), clock, p.log)
	if err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	waiting, err := book.Restarted(ctx)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	p.runner = newRunner(cfg.Executor, book, p.files, executor, waiting, p.log)
	if cfg.BusyEvery > 0 {
		p.busy = newBusy(book, cfg.Resources, cfg.BusyEvery)
	}
	if p.manager, err = p.connection(cfg, links, book, log); err != nil {
		return err
	}
	if p.planner, err = newPublisher(ctx, cfg.PeerID, links.Bus, book, p.store, p.log); err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	return nil
}

func (p *Peer) connection(cfg Config, links Links, book *ledger.Ledger, log *slog.Logger) (*compute.ConnectionManager, error) {
	registry := envelope.NewRegistry()
	if err := nclprotocol.RegisterExecution(registry); err != nil {
		return nil, err
	}
	c := compute.DefaultConfig()
	c.NodeID = cfg.NodeID
	c.ClientFactory = hearing{links.Compute, links.Bus}
	c.NodeInfoProvider = &info{cfg: cfg, ledger: book, runner: p.runner, log: p.log}
	c.MessageRegistry = registry
	c.DataPlaneMessageHandler = &orders{ledger: book, runner: p.runner, log: p.log}
	c.DataPlaneMessageCreator = creator{}
	c.EventStore = p.store
	c.LogStreamServer = p.files
	c.HeartbeatInterval, c.HeartbeatMissFactor = cfg.Heartbeat.Interval, cfg.Heartbeat.Misses
	c.RequestTimeout = min(c.RequestTimeout, cfg.Heartbeat.silence())
	c.Logger = log
	return compute.NewConnectionManager(c)
}

// Run works until ctx ends, or a part fails for good.
func (p *Peer) Run(ctx context.Context) (err error) {
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbyeWithin)
		defer cancel()
		err = errors.Join(err, p.manager.Close(ctx), p.store.Close(ctx))
	}()
	if err := p.manager.Start(ctx); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.runner.Run(ctx) })
	g.Go(func() error { return p.files.Run(ctx) })
	g.Go(func() error { return p.planner.Run(ctx) })
	if p.busy != nil {
		g.Go(func() error { return p.busy.Run(ctx) })
	}
	return g.Wait()
}
