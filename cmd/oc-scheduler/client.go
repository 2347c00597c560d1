package main

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"oc-scheduler/client"
)

// replicaFlag is shared by the commands that talk to a running replica.
type replicaFlag struct {
	Server  string `placeholder:"URL" help:"A running replica; without it that of the context, or else http://127.0.0.1:8080."`
	Context string `type:"ident" placeholder:"NAME" help:"The context to use, instead of the current one: context set, context use."`
	CA      string `name:"ca" placeholder:"FILE" help:"Certificate authorities that the replica is checked against (PEM); by default the system's."`
	tokenFlag
}

// serverFlags are shared by those that show what it answers.
type serverFlags struct {
	replicaFlag
	outputFlags
}

// replica is whom a command talks to. It is asked once: who types a command sees for himself whether to repeat it.
type replica struct {
	*client.Client
	con *console
}

func (f replicaFlag) replica(con *console) (*replica, error) {
	to, err := f.reach(con)
	if err != nil {
		return nil, err
	}
	options := []client.Option{client.WithToken(to.token), client.WithPatience(0)}
	if to.ca != "" {
		authorities, err := authoritiesIn(to.ca)
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		options = append(options, client.WithAuthorities(authorities))
	}
	c, err := client.New(to.server, options...)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	f.remember(con)
	return &replica{c, con}, nil
}

// authoritiesIn are those in a file.
func authoritiesIn(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no PEM certificate", file)
	}
	return pool, nil
}

// about names what a question was about, where the answer is that there is no such thing.
func about(err error, kind, id string) error {
	if errors.Is(err, client.ErrNotFound) {
		return fmt.Errorf("%s %q: %w", kind, id, err)
	}
	return err
}
