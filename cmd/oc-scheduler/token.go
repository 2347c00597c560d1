package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"oc-scheduler/client"
	"oc-scheduler/store/tokens"
)

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token, and print it: it is shown once."`
	List   tokenListCmd   `cmd:"" help:"List the tokens that live."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke a token: it is refused everywhere within a second, and its streams end."`
}

type tokenCreateCmd struct {
	serverFlags
	bucketFlags
	Name  string        `arg:"" type:"ident" help:"Whose it is, for people."`
	Role  string        `required:"" enum:"viewer,user,operator,admin" help:"viewer, user, operator or admin."`
	Group []string      `placeholder:"GROUP" help:"A group that its bearer is in; repeatable."`
	TTL   time.Duration `name:"ttl" placeholder:"DURATION" help:"Its life, in whole seconds; without it, it has no end."`
}

// AfterApply checks what is no life.
func (c *tokenCreateCmd) AfterApply() error {
	if c.TTL < 0 || c.TTL%time.Second != 0 || c.TTL > tokens.MaxTTL {
		return fmt.Errorf("--ttl: %v is not a whole number of seconds, up to %v", c.TTL, tokens.MaxTTL)
	}
	return nil
}

// Run makes a token. It alone goes to stdout.
func (c *tokenCreateCmd) Run(ctx context.Context, con *console) error {
	made, err := c.create(ctx, con)
	if err != nil {
		return err
	}
	return printDoc(c.printer(con), made, func(m *madeToken, w *paper) error { return printLines(w, []string{m.Token}) })
}

// madeToken is what is told of a new token.
type madeToken struct {
	Token string `json:"token"`
}

func (c *tokenCreateCmd) create(ctx context.Context, con *console) (doc []byte, err error) {
	if c.direct() {
		token, err := c.createDirectly(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(madeToken{token})
	}
	replica, err := c.replica(con)
	if err != nil {
		return nil, err
	}
	var was client.Answer
	draft := client.TokenDraft{Name: c.Name, Role: c.Role, Groups: c.Group, TTLS: int64(c.TTL / time.Second)}
	_, err = replica.CreateToken(ctx, draft, client.Into(&was))
	return was.Body, err
}

type tokenListCmd struct {
	serverFlags
	bucketFlags
	watched `embed:"" group:"What is listed:"`
}

// Run lists the tokens.
func (c *tokenListCmd) Run(ctx context.Context, con *console) error {
	l := list{header: "TOKEN NAME ROLE GROUPS CREATED BY EXPIRES", row: tokenRow, watched: c.watched}
	if c.direct() {
		l.from = c.listDirectly
		return l.print(ctx, c.printer(con))
	}
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	l.from = every(replica.ListTokens)
	return l.print(ctx, c.printer(con))
}

func tokenRow(item json.RawMessage) ([]any, error) {
	var t client.Token
	err := json.Unmarshal(item, &t)
	return []any{t.ID, t.Name, t.Role, strings.Join(t.Groups, ", "), rough(t.CreatedAt), t.CreatedBy, rough(t.ExpiresAt)}, err
}

type tokenRevokeCmd struct {
	serverFlags
	bucketFlags
	Token string `arg:"" type:"ident" help:"The id of the token, as list shows it."`
}

// Run revokes a token.
func (c *tokenRevokeCmd) Run(ctx context.Context, con *console) error {
	err := c.revoke(ctx, con)
	if err != nil {
		return about(err, "token", c.Token)
	}
	return c.printer(con).done(c.Token, "revoked", "token "+c.Token+" is revoked")
}

func (c *tokenRevokeCmd) revoke(ctx context.Context, con *console) error {
	if c.direct() {
		return c.revokeDirectly(ctx, c.Token)
	}
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return replica.RevokeToken(ctx, c.Token)
}
