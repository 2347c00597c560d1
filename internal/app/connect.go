package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natsd"
	"oc-scheduler/internal/rights"
)

// connect returns a connection that keeps trying for ever, from the first attempt on: a NATS server
// out of reach is no failure. Unusable credentials are a *ConfigError.
func connect(ctx context.Context, cfg Config, name string, embedded *natsd.Server, log *slog.Logger) (*nats.Conn, error) {
	opts := append(steadyOptions(name), newConnLog(ctx, name, log).options()...)
	credentials, err := cfg.options()
	if err != nil {
		return nil, &ConfigError{err}
	}
	opts = append(opts, credentials...)
	if embedded != nil {
		opts = append(opts, embedded.ConnOptions()...)
	}
	nc, err := nats.Connect(strings.Join(cfg.NATSURL, ","), opts...)
	if err != nil {
		return nil, fmt.Errorf("NATS connection: %w", err)
	}
	return nc, nil
}

// steadyOptions make outages pass: retries never end and are spread; nothing is kept back to be
// sent after an outage, when its sender has long reported a failure.
func steadyOptions(name string) []nats.Option {
	return []nats.Option{
		nats.Name("oc-scheduler " + name),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(), // credentials are rotated on the server first
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, 500*time.Millisecond),
		nats.ReconnectBufSize(-1),
		nats.Timeout(2 * time.Second),
		nats.PingInterval(10 * time.Second),
		nats.MaxPingsOutstanding(2),
		rights.ConnOption(),
	}
}

// NATSCredentials are the flags by which a command proves to NATS who it is, and what it trusts.
type NATSCredentials struct {
	NATSCreds string `name:"nats-creds" placeholder:"FILE" help:"NATS credentials."`
	NATSNKey  string `name:"nats-nkey" placeholder:"FILE" help:"Seed of an nkey for NATS."`
	NATSCA    string `name:"nats-ca" placeholder:"FILE" help:"Certificate authorities that NATS servers are checked against (PEM)."`
	NATSCert  string `name:"nats-cert" placeholder:"FILE" help:"Client certificate for NATS (PEM)."`
	NATSKey   string `name:"nats-key" placeholder:"FILE" help:"Key of the client certificate (PEM)."`
}

// NATSOptions checks the flags that lead to the NATS servers and reads the files they name.
func (c Config) NATSOptions() ([]nats.Option, error) {
	if err := errors.Join(flag("--nats-url", checkNATSURLs(c.NATSURL)), c.checkCredentials()); err != nil {
		return nil, err
	}
	return c.options()
}

// options reads the files once, so that a wrong path is told at start.
func (c NATSCredentials) options() ([]nats.Option, error) {
	var opts []nats.Option
	var errs []error
	if c.NATSCreds != "" {
		creds := nats.UserCredentials(c.NATSCreds)
		errs = append(errs, flag("--nats-creds", checkCreds(creds)))
		opts = append(opts, creds)
	}
	if c.NATSNKey != "" {
		nkey, err := nats.NkeyOptionFromSeed(c.NATSNKey)
		if err != nil { // it may repeat what the file holds
			err = fmt.Errorf("%s holds no seed of an nkey of a user, or cannot be read", c.NATSNKey)
		}
		errs = append(errs, flag("--nats-nkey", err))
		opts = append(opts, nkey) // not used when it failed
	}
	if c.NATSCA != "" {
		errs = append(errs, flag("--nats-ca", checkCA(c.NATSCA)))
		opts = append(opts, nats.RootCAs(c.NATSCA))
	}
	if c.NATSCert != "" {
		_, err := tls.LoadX509KeyPair(c.NATSCert, c.NATSKey)
		errs = append(errs, flag("--nats-cert, --nats-key", err))
		opts = append(opts, nats.ClientCert(c.NATSCert, c.NATSKey))
	}
	return opts, errors.Join(errs...)
}

// checkCreds reads the file as the connection will at each attempt: its token, and its key by signing
// something.
func checkCreds(creds nats.Option) error {
	var o nats.Options
	if err := creds(&o); err != nil {
		return err
	}
	if _, err := o.UserJWT(); err != nil {
		return err
	}
	_, err := o.SignatureCB([]byte("nonce"))
	return err
}

func checkCA(file string) error {
	pem, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s holds no PEM certificate", file)
	}
	return nil
}
