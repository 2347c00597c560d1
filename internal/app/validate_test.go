package app_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/app"
)

// valid is what the command line yields without any flag, but for ports that are picked.
func valid() app.Config {
	return app.Config{
		Listen:              "127.0.0.1:0",
		NATSListen:          "127.0.0.1:0",
		JSReplicas:          1,
		PlannerTTL:          24 * time.Hour,
		MaxStreams:          20_000,
		MaxStreamsPerClient: 1000,
	}
}

func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*app.Config){
		"the defaults":            func(*app.Config) {},
		"any interface":           func(c *app.Config) { c.Listen = ":8080" },
		"a port for scrapes":      func(c *app.Config) { c.MetricsListen, c.MetricsListenFile = ":9090", "metrics" },
		"IPv6":                    func(c *app.Config) { c.Listen = "[::1]:8080" },
		"no NATS port":            func(c *app.Config) { c.NATSListen = "off" },
		"an IPv6 server":          func(c *app.Config) { c.NATSURL = []string{"nats://[::1]:4222", "[fe80::1%25eth0]"} },
		"an address alone":        func(c *app.Config) { c.NATSURL = []string{"192.168.0.105"} },
		"several servers":         func(c *app.Config) { c.NATSURL = []string{"nats://a:4222", "tls://b", "wss://c/path"} },
		"a password":              func(c *app.Config) { c.NATSURL = []string{"nats://u:p@a:4222"} },
		"a cluster's replication": func(c *app.Config) { c.NATSURL, c.JSReplicas = []string{"a"}, 3 },
		"an origin":               func(c *app.Config) { c.AllowOrigin = []string{"https://portal.example.org:8443"} },
		"no log-in":               func(c *app.Config) { c.Auth = "off" },
		"nodes by hand":           func(c *app.Config) { c.ApproveNodes = "manual" },
		"an issuer": func(c *app.Config) {
			c.OIDCIssuer, c.OIDCAudience, c.OIDCClientID, c.OIDCRole = "https://login.example.org", "a", "c", []string{"cn=ops,dc=x=operator"}
		},
		"a short life": func(c *app.Config) { c.PlannerTTL = time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := valid()
			change(&c)
			if err := c.Validate(); err != nil {
				t.Errorf("Validate: %v", err)
			}
		})
	}
}

func TestValidateNamesTheFlag(t *testing.T) {
	t.Parallel()
	for flag, changes := range map[string][]func(*app.Config){
		"--listen": {
			func(c *app.Config) { c.Listen = "" },
			func(c *app.Config) { c.Listen = "localhost" },
			func(c *app.Config) { c.Listen = "localhost:70000" },
			func(c *app.Config) { c.Listen = "localhost:http" },
		},
		"--metrics-listen":      {func(c *app.Config) { c.MetricsListen = "9090" }},
		"--metrics-listen-file": {func(c *app.Config) { c.MetricsListenFile = "metrics" }},
		"--auth":                {func(c *app.Config) { c.Auth = "yes" }},
		"--node-peers":          {func(c *app.Config) { c.NodePeers = "all" }},
		"--approve-nodes":       {func(c *app.Config) { c.ApproveNodes = "perhaps" }},
		"--nats-listen":         {func(c *app.Config) { c.NATSListen = "on" }},
		"--nats-url": {
			func(c *app.Config) { c.NATSURL = []string{"http://a"} },
			func(c *app.Config) { c.NATSURL = []string{"a", "nats://"} },
			func(c *app.Config) { c.NATSURL = []string{"a:b:c"} },
			func(c *app.Config) { c.NATSURL = []string{"a:99999"} },
			func(c *app.Config) { c.NATSURL = []string{"%zz"} },
			func(c *app.Config) { c.NATSURL = []string{"nats://:::"} },
			func(c *app.Config) { c.NATSURL = []string{"nats://::1:4222"} },
			func(c *app.Config) { c.NATSURL = []string{"nats://[x]:4222"} },
		},
		"--nats-key": {func(c *app.Config) { c.NATSURL, c.NATSCert = []string{"a"}, "cert.pem" }},
		"--tls-key":  {func(c *app.Config) { c.TLSCert = "cert.pem" }},
		"--oidc-audience": {
			func(c *app.Config) { c.OIDCIssuer = "https://login.example.org" },
			func(c *app.Config) { c.OIDCAudience = "a" },
		},
		"--oidc-issuer":             {func(c *app.Config) { c.OIDCIssuer, c.OIDCAudience = "http://login.example.org", "a" }},
		"--oidc-role":               {func(c *app.Config) { c.OIDCRole = []string{"g=user"} }},
		"--oidc-client-id":          {func(c *app.Config) { c.OIDCClientID = "c" }},
		"--oidc-client-secret-file": {func(c *app.Config) { c.OIDCClientSecretFile = "secret" }},
		"--nats-creds":              {func(c *app.Config) { c.NATSCreds = "file" }},
		"--trusted-proxy":           {func(c *app.Config) { c.TrustedProxy = []string{"10.0.0.0/8", "10.0.0.0/99"} }},
		"--rate-reads":              {func(c *app.Config) { c.RateReads = -1 }, func(c *app.Config) { c.RateReads = math.NaN() }},
		"--rate-writes":             {func(c *app.Config) { c.RateWrites = -1 }, func(c *app.Config) { c.RateWrites = math.Inf(1) }},
		"--js-replicas": {
			func(c *app.Config) { c.NATSURL, c.JSReplicas = []string{"a"}, 2 },
			func(c *app.Config) { c.JSReplicas = 3 },
		},
		"--replica-id": {func(c *app.Config) { c.ReplicaID = "a\nb" }},
		"--planner-ttl": {
			func(c *app.Config) { c.PlannerTTL = 1500 * time.Millisecond },
			func(c *app.Config) { c.PlannerTTL = 0 },
			func(c *app.Config) { c.PlannerTTL = -time.Hour },
		},
		"--allow-origin": {
			func(c *app.Config) { c.AllowOrigin = []string{"portal.example.org"} },
			func(c *app.Config) { c.AllowOrigin = []string{"https://portal.example.org/path"} },
		},
		"--max-streams":            {func(c *app.Config) { c.MaxStreams = -1 }},
		"--max-streams-per-client": {func(c *app.Config) { c.MaxStreamsPerClient = -1 }},
		"--node-grace":             {func(c *app.Config) { c.NodeGrace = -time.Second }},
		"--drain-grace":            {func(c *app.Config) { c.DrainGrace = -time.Second }},
	} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			for i, change := range changes {
				c := valid()
				change(&c)
				if err := c.Validate(); err == nil || !strings.Contains(err.Error(), flag) {
					t.Errorf("case %d: Validate() = %v, want an error that names %s", i, err, flag)
				}
			}
		})
	}
}

func TestValidateReportsAllAtOnceAndNoPassword(t *testing.T) {
	t.Parallel()
	c := valid()
	c.Listen, c.NATSURL, c.PlannerTTL = "x", []string{"nats://user:secret@"}, 0
	err := c.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, flag := range []string{"--listen", "--nats-url", "--planner-ttl"} {
		if !strings.Contains(err.Error(), flag) {
			t.Errorf("%q does not name %s", err, flag)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%q shows the password", err)
	}
}
