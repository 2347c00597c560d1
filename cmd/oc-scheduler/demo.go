package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"
	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/events"
	"oc-scheduler/internal/app"
	"oc-scheduler/internal/peer"
	"oc-scheduler/streams/nclprotocol"
)

type demoCmd struct{ serveCmd }

// Run serves like serve does, with nodes of two peers and workflows of its own, one of them booked, on a directory that is removed
// in the end unless --data-dir names one.
func (c *demoCmd) Run(ctx context.Context, con *console) (err error) {
	if !c.Embedded() {
		return &exitError{exitConfig, errors.New("--nats-url: the demo brings its own NATS server; use serve")}
	}
	c.Version = version
	if c.DataDir == "" {
		if c.DataDir, err = os.MkdirTemp("", "oc-scheduler-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.DataDir)) }()
	}
	con = &console{stdout: con.stdout, stderr: sharedOutput(con.stderr), env: con.env}
	log := c.logger(con)
	replica, err := app.New(ctx, c.Config, log)
	if err != nil {
		return runError(err)
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx)) // longer than the nodes, which say goodbye
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return replica.Run(serving) })
	g.Go(func() error {
		defer stop()
		return c.show(ctx, con, replica, log)
	})
	return runError(g.Wait())
}

// demoFlags makes the flags that demo shares with serve its own: it has one NATS server, nobody to
// tell of a drain, and nothing to keep.
func demoFlags(k *kong.Kong) error {
	for _, node := range k.Model.Children {
		if node.Name != "demo" {
			continue
		}
		for _, flag := range node.Flags {
			switch flag.Name {
			case "nats-url", "nats-creds", "nats-nkey", "nats-ca", "nats-cert", "nats-key", "js-replicas":
				flag.Hidden = true
			case "drain-grace":
				flag.Default = "0s"
			case "data-dir":
				flag.Help = "The embedded server's store; by default a directory that is removed in the end."
			}
		}
	}
	return nil
}

// show runs the nodes, publishes the workflows, as others on the bus would, and has one of them run each minute.
func (c *demoCmd) show(ctx context.Context, con *console, replica *app.Replica, log *slog.Logger) error {
	select {
	case <-ctx.Done():
		return nil
	case <-replica.Ready():
	}
	nc, err := replica.Connect(ctx, "demo")
	if err != nil {
		return err
	}
	defer nc.Close()
	g, ctx := errgroup.WithContext(ctx)
	if err := c.nodes(ctx, g, con, replica, log); err != nil {
		return err
	}
	g.Go(func() error {
		list, err := demoEvents()
		if err != nil {
			return err
		}
		for _, event := range list {
			if err := nc.Publish(events.CreateResource, event); err != nil {
				return err
			}
		}
		return invite(con, replica)
	})
	g.Go(func() error {
		if err := replica.Book(ctx, demoPipelineID, []byte(eachMinute)); ctx.Err() == nil {
			return err
		}
		return nil
	})
	return g.Wait()
}

// nodes starts the nodes: as processes, or as parts of this one where no other has a way to the NATS server.
func (c *demoCmd) nodes(ctx context.Context, g *errgroup.Group, con *console, replica *app.Replica, log *slog.Logger) error {
	dir := filepath.Join(c.DataDir, "nodes")
	if url := replica.NATSURL(); url != "" {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		site := &demoSite{program: program, natsURL: url, dir: dir, flags: c.logFlags, output: con.stderr, log: log}
		g.Go(func() error { return site.Run(ctx) })
		return nil
	}
	for name := range demoNodes {
		cfg, err := demoNode(name, dir, silentFor)
		if err != nil {
			return err
		}
		p, err := peer.New(ctx, cfg, connector{replica, name}, log)
		if err != nil {
			return err
		}
		g.Go(func() error { return p.Run(ctx) })
	}
	return nil
}

// connector makes the connections of a node to a replica's own NATS server.
type connector struct {
	replica *app.Replica
	name    string
}

var _ nclprotocol.ClientFactory = connector{}

// CreateClient opens a connection.
func (c connector) CreateClient(ctx context.Context) (*nats.Conn, error) {
	return c.replica.Connect(ctx, "node "+c.name)
}
