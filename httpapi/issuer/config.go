package issuer

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"oc-scheduler/store/access"
)

// Config says whom to believe, and what.
type Config struct {
	URL         string   // of the issuer, as it names itself; empty: there is none
	Audience    string   // for whom access tokens have to be made
	GroupsClaim string   // where groups stand: a name, or a path with dots; empty: groups
	Roles       []string // VALUE=ROLE: what a value of the groups or roles gives

	ClientID     string // as which people log in on the page; empty: they do not
	ClientSecret string // empty: the client is a public one
}

// Validate reports all that is wrong with the configuration, naming the flags.
func (c Config) Validate() error {
	var errs []error
	if (c.URL == "") != (c.Audience == "") {
		errs = append(errs, errors.New("--oidc-issuer and --oidc-audience go together"))
	}
	if c.URL == "" && len(c.Roles) > 0 {
		errs = append(errs, errors.New("--oidc-role needs --oidc-issuer"))
	}
	if c.URL == "" && c.ClientID != "" {
		errs = append(errs, errors.New("--oidc-client-id needs --oidc-issuer"))
	}
	if c.URL != "" && !isIssuer(c.URL) {
		errs = append(errs, errors.New("--oidc-issuer: not a URL such as https://login.example.org/realm; http is for loopback addresses alone"))
	}
	_, err := rolesOf(c.Roles)
	return errors.Join(append(errs, err)...)
}

// isIssuer says whether a URL can be an issuer's that is asked in a way that nobody else can answer.
func isIssuer(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && *u == url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath} && isTrustworthy(u)
}

func isTrustworthy(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && ip.Unmap().IsLoopback())
}

// rolesOf reads what values give. A value may have an equals sign in it, a role has none.
func rolesOf(given []string) (map[string]access.Role, error) {
	roles := map[string]access.Role{}
	for i, text := range given {
		at := strings.LastIndexByte(text, '=')
		if at < 1 {
			return nil, fmt.Errorf("--oidc-role: entry %d of %d is not VALUE=ROLE", i+1, len(given))
		}
		role, err := access.ParseRole(text[at+1:])
		if err != nil {
			return nil, fmt.Errorf("--oidc-role: entry %d of %d: %w", i+1, len(given), err)
		}
		roles[text[:at]] = max(roles[text[:at]], role)
	}
	return roles, nil
}
