package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/app"
	"oc-scheduler/store/access"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/tokens"
)

// natsWithin bounds what a command waits for the bucket.
const natsWithin = 10 * time.Second

// byBucket is who makes a token past the replicas: whoever may write there.
const byBucket = "nats"

// bucketFlags lead straight to the bucket. The URL is a part of the command, not of the environment: a variable
// that is there for serve must not change whom the command asks.
type bucketFlags struct {
	NATSURL []string `name:"nats-url" group:"bucket" placeholder:"URL" help:"NATS servers, comma-separated, to write straight into the bucket there instead of asking a replica."`
	app.NATSCredentials
}

func (f bucketFlags) direct() bool { return len(f.NATSURL) > 0 }

// with calls f with the bucket.
func (f bucketFlags) with(ctx context.Context, do func(context.Context, *tokens.Tokens) error) error {
	options, err := app.Config{NATSURL: f.NATSURL, NATSCredentials: f.NATSCredentials}.NATSOptions()
	if err != nil {
		return err
	}
	nc, err := nats.Connect(strings.Join(f.NATSURL, ","), append(options, nats.Name("oc-scheduler token"))...)
	if err != nil {
		return fmt.Errorf("--nats-url: %w", err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, natsWithin)
	defer cancel()
	of, err := tokens.Reach(ctx, js, slog.New(slog.DiscardHandler))
	if errors.Is(err, kv.ErrNotFound) {
		return errors.New("--nats-url: there is no bucket tokens yet: the first replica makes it")
	}
	if err != nil {
		return err
	}
	return do(ctx, of)
}

func (c *tokenCreateCmd) createDirectly(ctx context.Context) (token string, err error) {
	role, err := access.ParseRole(c.Role)
	if err != nil {
		return "", err
	}
	if len(c.Group) > tokens.MaxGroups {
		return "", fmt.Errorf("--group: a token may have %d groups", tokens.MaxGroups)
	}
	for _, group := range c.Group {
		if err := id.Check(group); err != nil {
			return "", fmt.Errorf("--group: %w", err)
		}
	}
	err = c.with(ctx, func(ctx context.Context, of *tokens.Tokens) error {
		_, credential, err := of.Create(ctx, tokens.Draft{Name: c.Name, Role: role, Groups: c.Group, TTL: c.TTL, By: byBucket}, time.Now())
		token = credential.Reveal()
		return err
	})
	return token, err
}

func (f bucketFlags) listDirectly(ctx context.Context) (items []json.RawMessage, err error) {
	items = []json.RawMessage{} // JSON has an empty list for it
	err = f.with(ctx, func(ctx context.Context, of *tokens.Tokens) error {
		all, err := of.All(ctx, time.Now())
		for _, token := range all {
			item, fault := json.Marshal(token)
			items, err = append(items, item), errors.Join(err, fault)
		}
		return err
	})
	return items, err
}

func (f bucketFlags) revokeDirectly(ctx context.Context, tokenID string) error {
	return f.with(ctx, func(ctx context.Context, of *tokens.Tokens) error {
		err := of.Revoke(ctx, tokenID)
		if errors.Is(err, kv.ErrNotFound) {
			return fmt.Errorf("token %q: no such token", tokenID)
		}
		return err
	})
}
