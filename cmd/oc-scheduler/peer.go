package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/user"
	"path/filepath"
	"strings"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/peer"
	"oc-scheduler/store/id"
	"oc-scheduler/streams/nclprotocol"
)

type peerCmd struct {
	Config  string   `required:"" placeholder:"FILE" help:"What the node is, in YAML; see deploy/peer.yaml."`
	NATSURL []string `name:"nats-url" placeholder:"URL" help:"NATS servers, comma-separated; instead of those in FILE."`
	app.NATSCredentials
	DataDir string `placeholder:"DIR" help:"Ledger and output; by default what FILE says, else nodes/NODE below $XDG_STATE_HOME/oc-scheduler or ~/.local/state/oc-scheduler."`
	Listen  string `placeholder:"ADDR" help:"Serve /livez, /readyz and /metrics there, to whoever asks: host:port, or :port for this machine; by default nowhere."`
	logFlags
}

// Run is a compute node until ctx ends.
func (c *peerCmd) Run(ctx context.Context, con *console) error {
	cfg, err := peer.LoadFile(c.Config, func(cfg *peer.Config) { c.override(cfg, con.env) })
	if err != nil {
		return &exitError{exitConfig, fmt.Errorf("--config: %w", err)}
	}
	return runNode(ctx, cfg, c.Listen, c.logger(con))
}

// override has the flags win over the file.
func (c *peerCmd) override(cfg *peer.Config, env lookup) {
	cfg.Version = version
	if len(c.NATSURL) > 0 {
		cfg.NATS.URL = c.NATSURL
	}
	for _, o := range []struct {
		field *string
		flag  string
	}{
		{&cfg.NATS.Creds, c.NATSCreds},
		{&cfg.NATS.NKey, c.NATSNKey},
		{&cfg.NATS.CA, c.NATSCA},
		{&cfg.NATS.Cert, c.NATSCert},
		{&cfg.NATS.Key, c.NATSKey},
		{&cfg.DataDir, c.DataDir},
	} {
		if o.flag != "" {
			*o.field = o.flag
		}
	}
	if cfg.DataDir != "" {
		return
	}
	if dir, err := defaultDataDir(env, user.Current); err == nil { // else data_dir is told as missing
		cfg.DataDir = filepath.Join(dir, "nodes", id.Name(cmp.Or(cfg.NodeID, cfg.PeerID), id.MaxFileName))
	}
}

// runNode is a node on the NATS servers of its configuration, watched at an address, if there is one. Told to end, it ends well, whatever was
// under way.
func runNode(ctx context.Context, cfg peer.Config, watched string, log *slog.Logger) error {
	if len(cfg.NATS.URL) == 0 {
		return &exitError{exitConfig, errors.New("--nats-url: missing, and the configuration has no nats.url")}
	}
	n := cfg.NATS
	credentials := app.NATSCredentials{NATSCreds: n.Creds, NATSNKey: n.NKey, NATSCA: n.CA, NATSCert: n.Cert, NATSKey: n.Key}
	options, err := app.Config{NATSURL: n.URL, NATSCredentials: credentials}.NATSOptions()
	if err != nil {
		return &exitError{exitConfig, err}
	}
	p, err := peer.New(ctx, cfg, nclprotocol.Client{URL: strings.Join(n.URL, ","), NodeID: cfg.NodeID, Options: options}, log)
	if _, unusable := errors.AsType[*peer.ConfigError](err); unusable {
		return &exitError{exitConfig, err}
	}
	if err != nil {
		return err
	}
	if watched != "" {
		at, err := p.Watched(ctx, watched)
		if err != nil {
			ended, stop := context.WithCancel(ctx)
			stop()
			return &exitError{exitConfig, errors.Join(err, p.Run(ended))}
		}
		log.InfoContext(ctx, "watched", "http", at)
	}
	if err := p.Run(ctx); err != nil {
		return err
	}
	log.InfoContext(ctx, "stopped", "node_id", cmp.Or(cfg.NodeID, cfg.PeerID))
	return nil
}
