package app

import (
	"fmt"
	"net"
	"net/netip"
)

// Ways of approval: of all new nodes, or by an operator.
const auto, manual = "auto", "manual"

func checkApproval(how string) error {
	if how != "" && how != auto && how != manual {
		return fmt.Errorf("%q is neither auto nor manual", how)
	}
	return nil
}

// approvesByHand says whether new nodes wait for an operator.
func (c Config) approvesByHand() bool {
	if c.ApproveNodes == "" {
		return c.guarded()
	}
	return c.ApproveNodes == manual
}

// approval is what the other replicas are told of how new nodes get in here, whether it was said or is the default.
func (c Config) approval() string {
	if c.approvesByHand() {
		return manual
	}
	return auto
}

// checkProxies never repeats what is wrong: it may be a password in the wrong place.
func (c Config) checkProxies() error {
	for i, text := range c.TrustedProxy {
		if _, err := proxyOf(text); err != nil {
			return fmt.Errorf("entry %d of %d is not a network such as 10.0.0.0/8", i+1, len(c.TrustedProxy))
		}
	}
	return nil
}

// proxyOf reads a network, or one address.
func proxyOf(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.Unmap().Prefix(addr.Unmap().BitLen())
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err
}

// proxies are the trusted ones, of a valid configuration.
func (c Config) proxies() (all []netip.Prefix) {
	for _, text := range c.TrustedProxy {
		if p, err := proxyOf(text); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// byPrefix is the way in which the id of a node proves its peer.
const byPrefix = "prefix"

func checkNodePeers(how string) error {
	if how != "" && how != "any" && how != byPrefix {
		return fmt.Errorf("%q is neither any nor prefix", how)
	}
	return nil
}

func checkAuth(mode string) error {
	switch mode {
	case "", "auto", "on", "off":
		return nil
	}
	return fmt.Errorf("%q is none of auto, on and off", mode)
}

// guarded says whether who asks has to say who he is: by default wherever somebody else than this machine's
// users may ask, or an operator has said something about rights.
func (c Config) guarded() bool {
	switch c.Auth {
	case "on":
		return true
	case "off":
		return false
	}
	return !isLoopback(c.Listen) || c.BootstrapTokenFile != "" || c.TLSCert != "" || c.OIDCIssuer != "" || len(c.TrustedProxy) > 0
}

// undecided says whether no operator has said if who asks has to say who he is.
func (c Config) undecided() bool { return c.Auth == "" || c.Auth == auto }

// isLoopback says whether an address is reached from this machine alone. No other name than localhost is looked
// up: who answers for it may lie.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
