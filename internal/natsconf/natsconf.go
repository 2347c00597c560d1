// Package natsconf writes the configuration of NATS servers for a fleet: an account for the replicas, and one for each
// node, so that nothing that a node sends reaches more than its own subjects.
package natsconf

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/template"

	"github.com/nats-io/nkeys"

	"oc-scheduler/store/id"
)

// account is that of the replicas. No node may have its name.
const account = "OC"

//go:embed nats.conf.tmpl
var text string

var config = template.Must(template.New("nats.conf").Parse(text))

// User is one who may connect.
type User struct {
	Name   string // scheduler, bus, or a node's id
	Key    string // a node's, as subjects and accounts have it
	Public string // of its nkey
	Seed   string // of its nkey, a secret
}

// File is a name for the file that has the seed.
func (u User) File() string {
	if u.Key == "" {
		return u.Name + ".nk"
	}
	return "node-" + u.Key + ".nk"
}

// Config is a configuration with users of its own.
type Config struct {
	Scheduler, Bus User
	Nodes          []User
	Bare           bool // seeds are elsewhere
}

// New makes a configuration for nodes, with a fresh key for each user. It fails with all that is wrong with the ids.
func New(nodeIDs []string) (*Config, error) {
	var faults error
	c := &Config{}
	users := []*User{{Name: "scheduler"}, {Name: "bus"}}
	for i, nodeID := range nodeIDs {
		switch err := id.Check(nodeID); {
		case err != nil:
			faults = errors.Join(faults, fmt.Errorf("%q: %w", nodeID, err))
		case nodeID == account:
			faults = errors.Join(faults, fmt.Errorf("%s is the account of the replicas", account))
		case slices.Contains(nodeIDs[:i], nodeID):
			faults = errors.Join(faults, fmt.Errorf("%q is named twice", nodeID))
		}
		users = append(users, &User{Name: nodeID, Key: id.Key(nodeID)})
	}
	if faults != nil {
		return nil, faults
	}
	for _, u := range users {
		if err := u.mint(); err != nil {
			return nil, err
		}
	}
	c.Scheduler, c.Bus = *users[0], *users[1]
	for _, u := range users[2:] {
		c.Nodes = append(c.Nodes, *u)
	}
	return c, nil
}

func (u *User) mint() error {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	defer pair.Wipe()
	seed, err := pair.Seed()
	if err != nil {
		return err
	}
	u.Seed = string(seed)
	u.Public, err = pair.PublicKey()
	return err
}

// Users are all users.
func (c *Config) Users() []User { return append([]User{c.Scheduler, c.Bus}, c.Nodes...) }

// Write writes the configuration, with the seeds in comments unless it is bare.
func (c *Config) Write(w io.Writer) error { return config.Execute(w, c) }
