package app

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Validate reports all that is wrong with the configuration in one error, each fault with its flag.
// It reads no file and opens no connection.
func (c Config) Validate() error {
	return errors.Join(
		flag("--listen", checkAddress(c.Listen)),
		c.checkMetrics(),
		flag("--nats-listen", c.checkNATSListen()),
		flag("--nats-url", checkNATSURLs(c.NATSURL)),
		c.checkCredentials(),
		flag("--js-replicas", c.checkReplication()),
		flag("--replica-id", checkReplicaID(c.ReplicaID)),
		flag("--planner-ttl", checkPositive(c.PlannerTTL)), // package store takes 0 for its default
		c.store().Validate(),
		flag("--approve-nodes", checkApproval(c.ApproveNodes)),
		c.checkTLS(),
		flag("--trusted-proxy", c.checkProxies()),
		flag("--rate-reads", checkNotNegative(c.RateReads)),
		flag("--rate-writes", checkNotNegative(c.RateWrites)),
		flag("--node-peers", checkNodePeers(c.NodePeers)),
		flag("--auth", checkAuth(c.Auth)),
		flag("--node-grace", checkNotNegative(c.NodeGrace)),
		c.http().Validate(),
		c.issuer().Validate(),
		c.checkSecret(),
		flag("--max-streams", checkPositive(c.MaxStreams)),
		flag("--max-streams-per-client", checkPositive(c.MaxStreamsPerClient)),
		flag("--drain-grace", checkNotNegative(c.DrainGrace)),
	)
}

func flag(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

func checkAddress(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT", addr)
	}
	return checkPort(port)
}

func (c Config) checkMetrics() error {
	switch {
	case c.MetricsListen != "":
		return flag("--metrics-listen", checkAddress(c.MetricsListen))
	case c.MetricsListenFile != "":
		return errors.New("--metrics-listen-file needs --metrics-listen")
	}
	return nil
}

func checkPort(port string) error {
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q is not a port between 0 and 65535", port)
	}
	return nil
}

func (c Config) checkNATSListen() error {
	if c.NATSListen == "off" || !c.Embedded() {
		return nil
	}
	return checkAddress(c.NATSListen)
}

// checkNATSURLs never repeats a URL: it may hold a password.
func checkNATSURLs(urls []string) error {
	for i, raw := range urls {
		if !strings.Contains(raw, "://") {
			raw = "nats://" + raw
		}
		u, err := url.Parse(raw)
		switch {
		case err != nil || !isHost(u) || strings.Contains(u.Path+u.RawQuery+u.Fragment, "@"): // then the host is a part of a password
			return fmt.Errorf("URL %d of %d is not a NATS URL such as nats://192.0.2.1:4222", i+1, len(urls))
		case !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme):
			return fmt.Errorf("the scheme of URL %d of %d is none of nats, tls, ws, wss", i+1, len(urls))
		}
		if port := u.Port(); port != "" {
			if err := checkPort(port); err != nil {
				return err
			}
		}
	}
	return nil
}

// isHost says whether a URL names a host; colons are part of one in brackets only (RFC 3986).
func isHost(u *url.URL) bool {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		_, err := netip.ParseAddr(host)
		return err == nil
	}
	return host != "" && !strings.Contains(host, ":")
}

func (c Config) checkTLS() error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key go together")
	}
	return nil
}

// checkCredentials holds the rules that concern several flags.
func (c Config) checkCredentials() error {
	var errs []error
	if (c.NATSCert == "") != (c.NATSKey == "") {
		errs = append(errs, errors.New("--nats-cert and --nats-key go together"))
	}
	if c.Embedded() && (c.NATSCreds != "" || c.NATSNKey != "" || c.NATSCA != "" || c.NATSCert != "") {
		errs = append(errs, errors.New("--nats-creds, --nats-nkey, --nats-ca and --nats-cert need --nats-url: the embedded server takes none"))
	}
	return errors.Join(errs...)
}

func (c Config) checkReplication() error {
	if c.JSReplicas > 1 && c.Embedded() {
		return fmt.Errorf("%d needs a cluster (--nats-url): the embedded server is one", c.JSReplicas)
	}
	if c.JSReplicas == 0 { // package store takes it for its default
		return errors.New("0 is not 1, 3 or 5")
	}
	return nil
}

func checkPositive[T int | time.Duration](n T) error {
	if n <= 0 {
		return fmt.Errorf("%v is not above zero", n)
	}
	return nil
}

func checkNotNegative[T time.Duration | float64](d T) error {
	if f := float64(d); f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%v is no number from zero on", d)
	}
	return nil
}
