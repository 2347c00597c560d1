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

	"oc-scheduler/events"
	"oc-scheduler/internal/app"
)

// demoPeerCmd is a part of the demo in a process of its own, for a fleet that runs without it.
type demoPeerCmd struct {
	Part    string        `arg:"" enum:"demo-north,demo-north.2,demo-south,demo-workflow" help:"demo-north, demo-north.2 or demo-south: a node; demo-workflow: makes the workflows known."`
	NATSURL []string      `name:"nats-url" required:"" placeholder:"URL" help:"NATS servers, comma-separated."`
	DataDir string        `placeholder:"DIR" help:"Ledger and output; by default a directory that is removed in the end."`
	Silence time.Duration `placeholder:"DURATION" help:"How long a node may be silent before it counts as lost; 75s by default."`
	logFlags
}

// Run makes the demo's workflows known, or is a node until ctx ends.
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
	if c.Part == "demo-workflow" {
		return c.introduce(ctx, log)
	}
	if c.DataDir == "" {
		if c.DataDir, err = os.MkdirTemp("", "oc-scheduler-"+c.Part+"-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.DataDir)) }()
	}
	cfg, err := demoNode(c.Part, c.DataDir, c.Silence)
	if err != nil {
		return err
	}
	cfg.NATS.URL = c.NATSURL
	return runNode(ctx, cfg, "", log)
}

// introduce makes the workflows known. All that its user may read in the shipped configuration is its inbox.
func (c *demoPeerCmd) introduce(ctx context.Context, log *slog.Logger) error {
	nc, err := nats.Connect(strings.Join(c.NATSURL, ","), nats.Name("oc-scheduler demo workflow"), nats.CustomInboxPrefix("_INBOX.bus"),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(), nats.ReconnectWait(250*time.Millisecond))
	if err != nil {
		return fmt.Errorf("--nats-url: %w", err)
	}
	defer nc.Close()
	if err := tell(ctx, nc, log); err != nil {
		return err
	}
	<-ctx.Done() // whoever restarts what has ended has nothing to do
	return nil
}

// tell publishes the demo's workflows until the bus has stored them: the replicas that make the bus may
// start later.
func tell(ctx context.Context, nc *nats.Conn, log *slog.Logger) error {
	list, err := demoEvents()
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	for _, event := range list {
		if _, err := backoff.Retry(ctx, func() (*jetstream.PubAck, error) {
			attempt, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			return js.Publish(attempt, events.CreateResource, event, jetstream.WithRetryAttempts(0))
		}, backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, next time.Duration) {
			log.DebugContext(ctx, "workflow not published, trying again", "error", err, "in", next.String())
		})); err != nil {
			return err
		}
	}
	log.InfoContext(ctx, "workflows published", "workflows", len(list))
	return nil
}
