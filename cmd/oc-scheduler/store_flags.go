package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/natsd"
)

// storeFlags lead to what is kept: on NATS servers, or in the directory of an embedded one that does not run.
type storeFlags struct {
	NATSURL []string `name:"nats-url" placeholder:"URL" help:"NATS servers, comma-separated; without it what is in --data-dir, which no replica may use meanwhile."`
	app.NATSCredentials
	DataDir string `name:"data-dir" placeholder:"DIR" help:"Store of the embedded NATS server (default: as for serve)."`
}

// with calls do with JetStream.
func (f storeFlags) with(ctx context.Context, con *console, do func(jetstream.JetStream) error) error {
	options := []nats.Option{nats.Name("oc-scheduler backup")}
	urls := strings.Join(f.NATSURL, ",")
	if urls == "" {
		server, err := f.embedded(ctx, con)
		if err != nil {
			return err
		}
		defer server.Shutdown()
		options = append(options, server.ConnOptions()...)
	} else {
		credentials, err := app.Config{NATSURL: f.NATSURL, NATSCredentials: f.NATSCredentials}.NATSOptions()
		if err != nil {
			return err
		}
		options = append(options, credentials...)
	}
	nc, err := nats.Connect(urls, options...)
	if err != nil {
		return fmt.Errorf("--nats-url: %w", err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	if _, err := js.AccountInfo(ctx); err != nil {
		return fmt.Errorf("JetStream: %w", err)
	}
	return do(js)
}

// dir is that of the embedded server.
func (f storeFlags) dir(con *console) (string, error) {
	if f.DataDir != "" {
		return f.DataDir, nil
	}
	return defaultDataDir(con.env, user.Current)
}

// stands fails where there is no such directory: starting a server would make it.
func (f storeFlags) stands(con *console) error {
	if len(f.NATSURL) > 0 {
		return nil
	}
	dir, err := f.dir(con)
	if err == nil {
		_, err = os.Stat(dir)
	}
	if err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	return nil
}

// embedded starts the server of the directory, for this process alone.
func (f storeFlags) embedded(ctx context.Context, con *console) (*natsd.Server, error) {
	dir, err := f.dir(con)
	if err != nil {
		return nil, err
	}
	server, err := natsd.Start(ctx, natsd.Options{Listen: natsd.Off, DataDir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("--data-dir %s: %w", dir, err)
	}
	return server, nil
}
