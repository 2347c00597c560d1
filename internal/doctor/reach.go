package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/rights"
)

const certificateNotice = 14 * 24 * time.Hour

// reach tries each NATS server; the first one that answers serves the other checks.
func (e *exam) reach(context.Context) {
	for _, server := range e.URLs {
		nc, err := nats.Connect(server, slices.Concat(e.Options, []nats.Option{
			nats.Name("oc-scheduler doctor"),
			nats.NoReconnect(),
			nats.Timeout(patience),
			rights.ConnOption(),
			nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // errors come back where they are waited for
		})...)
		if err != nil {
			if errors.Is(err, nats.ErrNoServers) { // all that the client leaves of a refused connection
				err = errors.New("nobody listens there")
			}
			e.fail(fmt.Sprintf("%s: %v", shown(server), err), mendReach(err))
			e.away = e.last()
			continue
		}
		e.reached(server, nc)
		if e.nc == nil {
			e.nc = nc
		} else {
			nc.Close()
		}
	}
	if e.nc != nil {
		e.away = 0
	}
}

func (e *exam) reached(server string, nc *nats.Conn) {
	rtt, err := nc.RTT()
	if err != nil {
		e.fail(fmt.Sprintf("%s: %v", shown(server), err), mendReach(err))
		return
	}
	state, err := nc.TLSConnectionState()
	secured := "no TLS"
	if err == nil {
		secured = tls.VersionName(state.Version)
		e.certificate(server, state)
	}
	e.ok("%s: server %s answers in %v, %s", shown(server), nc.ConnectedServerName(), rtt.Round(10*time.Microsecond), secured)
	e.version(server, nc.ConnectedServerVersion())
	e.payload(server, nc.MaxPayload())
}

func (e *exam) certificate(server string, state tls.ConnectionState) {
	if len(state.PeerCertificates) == 0 {
		return
	}
	if left := state.PeerCertificates[0].NotAfter.Sub(e.Now()); left < certificateNotice {
		e.warn(fmt.Sprintf("%s: its certificate ends in %v", shown(server), left.Round(time.Minute)),
			"give the server a new certificate (`tls` in nats.conf) and reload it: nats-server --signal reload")
	}
}

// shown is what may be told of a URL, perhaps without a scheme: not who asks, for a user alone may be a token.
func shown(server string) string {
	if !strings.Contains(server, "://") {
		server = "//" + server
	}
	u, err := url.Parse(server)
	if err != nil {
		return "a URL that cannot be read"
	}
	return strings.TrimPrefix((&url.URL{Scheme: u.Scheme, Host: u.Host}).String(), "//")
}

func mendReach(err error) string {
	if slices.ContainsFunc([]error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired},
		func(target error) bool { return errors.Is(err, target) }) {
		return "give --nats-creds or --nats-nkey, or user and password in the URL, as the server's configuration has them"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "give the certificate of the authority that signed the server's: --nats-ca"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "use a name that stands in the server's certificate, or a certificate that holds this one"
	}
	if _, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return "renew the server's certificate; if it is valid, set this machine's clock"
	}
	if text := err.Error(); strings.Contains(text, "tls:") || strings.Contains(text, "tls error") {
		return "if the server asks for a client certificate, give --nats-cert and --nats-key; both ends must speak TLS, or neither"
	}
	return "start the server, or mend the address, the name or the firewall between here and there"
}
