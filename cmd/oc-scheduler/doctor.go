package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"oc-scheduler/client"
	"oc-scheduler/internal/app"
	"oc-scheduler/internal/doctor"
)

type doctorCmd struct {
	NATSURL []string `name:"nats-url" default:"nats://127.0.0.1:4222" help:"NATS servers, comma-separated; each is tried."`
	app.NATSCredentials
	NATSMonitor []string `name:"nats-monitor" placeholder:"URL" help:"Monitoring addresses of the NATS servers, comma-separated: they alone tell the fsync setting."`
	Server      string   `placeholder:"URL" help:"A running replica to examine, too."`
	tokenFlag
	JSReplicas int `name:"js-replicas" placeholder:"N" help:"JetStream replication that streams should have; by default that of the planners' bucket."`
	outputFlags
}

// AfterApply checks what would be examined, or looked for, in vain.
func (c *doctorCmd) AfterApply() error {
	switch {
	case len(c.NATSURL) == 0:
		return errors.New("--nats-url: empty; without it nats://127.0.0.1:4222 is examined")
	case c.JSReplicas != 0 && !slices.Contains([]int{1, 3, 5}, c.JSReplicas):
		return fmt.Errorf("--js-replicas: %d is not 1, 3 or 5", c.JSReplicas)
	}
	if c.Server != "" {
		if _, err := client.ParseServer(c.Server); err != nil {
			return fmt.Errorf("--server: %w", err)
		}
	}
	for _, address := range c.NATSMonitor {
		if _, err := client.ParseServer(address); err != nil {
			return fmt.Errorf("--nats-monitor: %w", err)
		}
	}
	return nil
}

// Run prints what it finds. It changes nothing.
func (c *doctorCmd) Run(ctx context.Context, con *console) error {
	options, err := app.Config{NATSURL: c.NATSURL, NATSCredentials: c.NATSCredentials}.NATSOptions()
	if err != nil {
		return err
	}
	token, err := c.token(con)
	if err != nil {
		return err
	}
	findings := doctor.Run(ctx, doctor.Config{
		URLs: c.NATSURL, Token: token, Options: options, Monitors: c.NATSMonitor, Replica: c.Server, Copies: c.JSReplicas, CLI: c.cli(),
	})
	if err := c.print(c.printer(con), findings); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if doctor.Worst(findings) == doctor.Fail {
		return &exitError{code: exitFailure}
	}
	return nil
}

// cli is what the nats command is given to get at the servers as this command does.
func (c *doctorCmd) cli() (flags []string) {
	for _, f := range []struct{ flag, file string }{
		{"--creds", c.NATSCreds}, {"--nkey", c.NATSNKey}, {"--tlsca", c.NATSCA}, {"--tlscert", c.NATSCert}, {"--tlskey", c.NATSKey},
	} {
		if f.file != "" {
			flags = append(flags, f.flag, f.file)
		}
	}
	return flags
}

func (c *doctorCmd) print(w *printer, findings []doctor.Finding) error {
	if !w.forPeople() {
		return printAll(w, findings)
	}
	count := map[doctor.Level]int{}
	t := newTable(w.paper, "")
	for _, f := range findings {
		count[f.Level]++
		t.row(f.Level, f.Check, f.What)
		if f.Mend != "" {
			t.note("→ " + printable(f.Mend))
		}
		if len(f.Follows) > 0 {
			t.note("therefore " + printable(strings.Join(f.Follows, "; ")))
		}
	}
	if err := t.flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d OK, %d UNKNOWN, %d WARN, %d FAIL\n",
		count[doctor.OK], count[doctor.Unknown], count[doctor.Warn], count[doctor.Fail])
	return err
}
