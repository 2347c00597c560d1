package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"oc-scheduler/internal/natsconf"
)

type natsConfigCmd struct {
	Node  []string `required:"" sep:"none" placeholder:"NODE" help:"The id of a node that may connect; repeatable."`
	Seeds string   `placeholder:"DIR" help:"Write the seed of each user into a file of its own in DIR; without it they stand in comments of the configuration."`
}

// Help says what becomes of it.
func (*natsConfigCmd) Help() string {
	return "Each run makes fresh keys. To add a node later, print a configuration for it alone and copy its account. " +
		"The replicas connect with --nats-nkey scheduler.nk, a node NODE with node-NODE.nk."
}

// Run prints a configuration of NATS servers.
func (c *natsConfigCmd) Run(_ context.Context, con *console) error {
	made, err := natsconf.New(c.Node)
	if err != nil {
		return fmt.Errorf("--node: %w", err)
	}
	if c.Seeds != "" {
		made.Bare = true
		for _, u := range made.Users() {
			if err := writeSeed(filepath.Join(c.Seeds, u.File()), u.Seed); err != nil {
				return fmt.Errorf("--seeds: %w", err)
			}
		}
	}
	return made.Write(con.stdout)
}

// writeSeed writes a secret into a new file, for nobody else to read.
func writeSeed(file, seed string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(seed + "\n")
	return errors.Join(err, f.Close())
}
