package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
	"oc-scheduler/internal/peer"
)

// demoPeerCmd is one of the demo's peers in a process of its own, for a fleet that runs without it.
type demoPeerCmd struct {
	Peer    string   `arg:"" enum:"demo-north,demo-south" help:"demo-north or demo-south."`
	NATSURL []string `name:"nats-url" required:"" placeholder:"URL" help:"NATS servers, comma-separated."`
	logFlags
}

// Run makes the demo's workflow known, then answers and publishes until ctx ends.
func (c *demoPeerCmd) Run(ctx context.Context, con *console) error {
	if err := c.run(ctx, con); ctx.Err() == nil {
		return err
	}
	return nil // told to end, whatever was under way
}

func (c *demoPeerCmd) run(ctx context.Context, con *console) error {
	log := c.logger(con)
	nc, err := c.connect()
	if err != nil {
		return fmt.Errorf("--nats-url: %w", err)
	}
	defer nc.Close()
	if err := tell(ctx, nc, log); err != nil {
		return err
	}
	for _, cfg := range demoPeers() {
		if cfg.PeerID != c.Peer {
			continue
		}
		p, err := peer.New(nc, cfg, log)
		if err != nil {
			return err
		}
		return p.Run(ctx)
	}
	return nil
}

// connect keeps trying for ever. Answers come to an inbox that is the peer's own: it may be all
// that its user is allowed to read.
func (c *demoPeerCmd) connect() (*nats.Conn, error) {
	return nats.Connect(strings.Join(c.NATSURL, ","),
		nats.Name(c.Peer),
		nats.CustomInboxPrefix("_INBOX."+c.Peer),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectWait(250*time.Millisecond),
		nats.ReconnectBufSize(-1),
	)
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
		log.DebugContext(ctx, "workflow not published, trying again", "error", err, "in", next)
	}))
	if err == nil {
		log.InfoContext(ctx, "workflow published", "workflow_id", demoWorkflowID)
	}
	return err
}
