// Command issuer is an issuer of OpenID Connect that is not of our making: the example server of zitadel/oidc on a
// free port of 127.0.0.1, whose URL it prints. Its people have groups, and its access tokens are JWTs. It ends when
// its standard input does.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Who asks it: the page, and a machine that asks for itself, whose tokens are for the audience.
const (
	page, secret = "oc-page", "secret of the client"
	audience     = "oc-scheduler"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	url := "http://" + l.Addr().String() + "/"
	storage.RegisterClients(storage.WebClient(page, secret))
	kept := issuing{storage.NewStorage(storage.NewUserStore(url))}
	server := &http.Server{Handler: exampleop.SetupServer(url, kept, slog.New(slog.DiscardHandler), false)}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	fmt.Println(url)
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// issuing is the example's storage, which gives groups to all.
type issuing struct{ *storage.Storage }

var groups = []string{"crew", "oc-users"}

// GetClientByClientID implements op.Storage.
func (s issuing) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	return client{c}, err
}

// ClientCredentials implements op.ClientCredentialsStorage.
func (s issuing) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	c, err := s.Storage.ClientCredentials(ctx, id, secret)
	return client{c}, err
}

// ClientCredentialsTokenRequest implements op.ClientCredentialsStorage.
func (s issuing) ClientCredentialsTokenRequest(_ context.Context, id string, scopes []string) (op.TokenRequest, error) {
	return &oidc.JWTTokenRequest{Subject: id, Audience: []string{audience}, Scopes: scopes}, nil
}

// SetUserinfoFromRequest implements op.CanSetUserinfoFromRequest: what is told with the token of an identity.
func (s issuing) SetUserinfoFromRequest(ctx context.Context, told *oidc.UserInfo, of op.IDTokenRequest, scopes []string) error {
	told.AppendClaims("groups", groups)
	return s.Storage.SetUserinfoFromRequest(ctx, told, of, scopes)
}

// GetPrivateClaimsFromScopes implements op.Storage: what is told with an access token.
func (issuing) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return map[string]any{"groups": groups}, nil
}

// client is one whose access tokens can be read, and whose page may be at any port.
type client struct{ op.Client }

// AccessTokenType implements op.Client.
func (client) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

// IDTokenUserinfoClaimsAssertion implements op.Client.
func (client) IDTokenUserinfoClaimsAssertion() bool { return true }

// RedirectURIGlobs implements op.HasRedirectGlobs.
func (client) RedirectURIGlobs() []string { return []string{"http://127.0.0.1:*/ui/callback"} }

// PostLogoutRedirectURIGlobs implements op.HasRedirectGlobs.
func (client) PostLogoutRedirectURIGlobs() []string { return nil }
