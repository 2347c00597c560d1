package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/events"
	"oc-scheduler/internal/app"
)

// demoPeerCmd is one of the demo's peers in a process of its own, for a fleet that runs without it.
type demoPeerCmd struct {
	Peer    string   `arg:"" enum:"demo-north,demo-south" help:"demo-north or demo-south."`
	NATSURL []string `name:"nats-url" required:"" placeholder:"URL" help:"NATS servers, comma-separated."`
	DataDir string   `placeholder:"DIR" help:"Ledger and output; by default a directory that is removed in the end."`
	logFlags
}

// Run makes the demo's workflow known, and is a node until ctx ends.
func (c *demoPeerCmd) Run(ctx context.Context, con *console) error {
	if err := c.run(ctx, con); ctx.Err() == nil {
		return err
	}
	return nil // told to end, whatever was under way
}

func (c *demoPeerCmd) run(ctx context.Context, con *console) (err error) {
	log := c.logger(con)
	if _, err := (app.Config{NATSURL: c.NATSURL}).NATSOptions(); err != nil {
		return &exitError{exitConfig, err}
	}
	if c.DataDir == "" {
		if c.DataDir, err = os.MkdirTemp("", "oc-scheduler-"+c.Peer+"-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.DataDir)) }()
	}
	cfg, err := demoPeer(c.Peer, c.DataDir)
	if err != nil {
		return err
	}
	cfg.NATS.URL = c.NATSURL
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return c.introduce(ctx, log) })
	g.Go(func() error { return runNode(ctx, cfg, log) })
	return g.Wait()
}

// introduce makes the workflow known, over a connection that it needs no longer then.
func (c *demoPeerCmd) introduce(ctx context.Context, log *slog.Logger) error {
	nc, err := connectBus(strings.Join(c.NATSURL, ","), c.Peer, nil)
	if err != nil {
		return fmt.Errorf("--nats-url: %w", err)
	}
	defer nc.Close()
	return tell(ctx, nc, log)
}

// tell publishes the demo's workflow until the bus has stored it: the replicas that make the bus may
// start later.
func tell(ctx context.Context, nc *nats.Conn, log *slog.Logger) error {
	event, err := demoEvent()
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = backoff.Retry(ctx, func() (*jetstream.PubAck, error) {
		attempt, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		return js.Publish(attempt, events.CreateResource, event, jetstream.WithRetryAttempts(0))
	}, backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, next time.Duration) {
		log.DebugContext(ctx, "workflow not published, trying again", "error", err, "in", next.String())
	}))
	if err == nil {
		log.InfoContext(ctx, "workflow published", "workflow_id", demoWorkflowID)
	}
	return err
}
