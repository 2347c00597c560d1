// Package peer is a compute node of a site: it keeps room for bookings, runs executions, keeps their
// output, and tells what it offers, of which the scheduler makes the site's planner.
//
// One connection leads to the scheduler's NATS servers, on which streams/compute brings orders, and takes
// events and offers. It may come and go: all that is promised is in the ledger on the node's disk, and each
// change is there before it takes effect.
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

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/jonboulle/clockwork"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/internal/peer/execute"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/internal/scrape"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// Peer is one node.
type Peer struct {
	log     *slog.Logger
	store   *watcher.BoltStore
	files   *logstream.Files
	runner  *runner
	busy    *busy
	manager *compute.ConnectionManager

	version string
	watched *scrape.Server // nil: nobody watches
}

// goodbyeWithin bounds the end of the connection and of the ledger.
const goodbyeWithin = 10 * time.Second

// ConfigError is a fault of the configuration: no retry helps, an operator has to act.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }

func (e *ConfigError) Unwrap() error { return e.Err }

// New opens a node's ledger; Run must be called. clients has a connection for each session with the scheduler.
// It fails with a *ConfigError that says what Config.Validate does, or why the data directory is of no use,
// with watcher.ErrInUse when another process has it, or as the disk does.
func New(ctx context.Context, cfg Config, clients nclprotocol.ClientFactory, log *slog.Logger) (*Peer, error) {
	cfg.SetDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, &ConfigError{err}
	}
	store, err := openLedger(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	log = log.With("node_id", cfg.NodeID)
	p := &Peer{log: log.With("component", "peer"), store: store, version: cfg.Version}
	if err := p.build(ctx, cfg, clients, log); err != nil {
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
func (p *Peer) build(ctx context.Context, cfg Config, clients nclprotocol.ClientFactory, log *slog.Logger) error {
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
	p.manager, err = p.connection(cfg, clients, book, log)
	return err
}

func (p *Peer) connection(cfg Config, clients nclprotocol.ClientFactory, book *ledger.Ledger, log *slog.Logger) (*compute.ConnectionManager, error) {
	registry := envelope.NewRegistry()
	if err := nclprotocol.RegisterExecution(registry); err != nil {
		return nil, err
	}
	c := compute.DefaultConfig()
	c.NodeID = cfg.NodeID
	c.ClientFactory = clients
	c.NodeInfoProvider = &info{cfg: cfg, ledger: book, runner: p.runner, log: p.log}
	c.OfferProvider = book
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
		if p.watched != nil {
			err = errors.Join(err, p.watched.Close())
		}
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.runner.Run(ctx) })
	g.Go(func() error { return p.files.Run(ctx) })
	if p.watched != nil {
		g.Go(func() error { return p.watched.Serve(ctx) })
	}
	p.tellManager(daemon.SdNotifyReady)
	defer context.AfterFunc(ctx, func() { p.tellManager(daemon.SdNotifyStopping) })()
	if p.busy != nil {
		g.Go(func() error { return p.busy.Run(ctx) })
	}
	return g.Wait()
}
