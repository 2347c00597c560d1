package app

import (
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/issuer"
)

// issuer is the part of the configuration that package issuer takes, but for the secret, which stands in a file.
func (c Config) issuer() issuer.Config {
	return issuer.Config{URL: c.OIDCIssuer, Audience: c.OIDCAudience, GroupsClaim: c.OIDCGroupsClaim, Roles: c.OIDCRole, ClientID: c.OIDCClientID}
}

func (c Config) checkSecret() error {
	if c.OIDCClientSecretFile != "" && c.OIDCClientID == "" {
		return errors.New("--oidc-client-secret-file needs --oidc-client-id")
	}
	return nil
}

// clientSecret is what stands in the file; "" where there is none.
func (c Config) clientSecret() (string, error) {
	if c.OIDCClientSecretFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(c.OIDCClientSecretFile)
	secret := strings.TrimSpace(string(text))
	if err == nil && secret == "" {
		err = errors.New("the file holds no secret")
	}
	return secret, flag("--oidc-client-secret-file", err)
}

// openIssuer is who vouches for people; nil: nobody does, or nobody has to say who he is.
func (c Config) openIssuer(log *slog.Logger) (*issuer.Issuer, error) {
	if c.OIDCIssuer == "" || !c.guarded() {
		return nil, nil
	}
	cfg := c.issuer()
	var err error
	if cfg.ClientSecret, err = c.clientSecret(); err != nil {
		return nil, err
	}
	return issuer.New(cfg, log, time.Now)
}

// issuerCheck tells of an issuer that is away. That is no reason to send clients elsewhere: tokens of the fleet's
// own go on, and so do the keys that are known.
func issuerCheck(i *issuer.Issuer) httpapi.Check {
	return httpapi.Check{
		Name:  "issuer",
		Probe: func() error { return nil },
		Notes: func() []string {
			if err := i.Err(); err != nil {
				return []string{"out of reach, so what it has signed with a key that is not known yet is answered with 503: " + err.Error()}
			}
			return nil
		},
	}
}
