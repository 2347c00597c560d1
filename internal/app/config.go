// Package app puts the parts of one replica together: it builds them from a Config, starts them in
// order, and stops them in reverse. It decides nothing about planners or workflows.
//
// Life: New checks the configuration and the files that it names, then opens the HTTP address, the
// embedded NATS server if there is none elsewhere, and a connection, which need not succeed. Run
// answers HTTP at once (/livez 200, /readyz 503) and tries for as long as it takes to open buckets
// and bus and to get the lease of its replica id; then it attaches what it has built, and is ready
// when all views are loaded. It outlives every outage of NATS.
//
// End: when Run's context ends, /readyz turns 503; after Config.DrainGrace the streams are closed
// with 1012, requests in flight end, and Run returns nil. Interest stays in the fleet's lists until
// the lease runs out.
//
// Errors: a *ConfigError says that an operator has to act (the command exits with 78); it may come
// from Run, too, for a foreign stream shows only when NATS answers. Any other error is a failure
// that a restart may cure (exit 1), such as an address in use.
package app

import (
	"time"

	"oc-scheduler/store/id"
)

// Config is what one replica needs to know. The tags are read by the command line: they hold each
// flag's name, default and help, so that all three stand in one place.
type Config struct {
	Listen     string `default:"127.0.0.1:8080" help:"HTTP address; port 0 picks one."`
	ListenFile string `placeholder:"FILE" help:"Write the HTTP address in use to FILE."`

	MetricsListen     string `placeholder:"ADDRESS" help:"HTTP address of /metrics alone, where nobody has to say who he is; without a host 127.0.0.1, port 0 picks one. By default there is none."`
	MetricsListenFile string `placeholder:"FILE" help:"Write that address in use to FILE."`

	TLSCert string `name:"tls-cert" placeholder:"FILE" help:"Certificate chain (PEM): HTTP is served over TLS. A new one in its place serves within a second."`
	TLSKey  string `name:"tls-key" placeholder:"FILE" help:"Key of the certificate (PEM)."`

	NATSURL        []string `name:"nats-url" placeholder:"URL" help:"NATS servers, comma-separated; none starts an embedded server with JetStream."`
	NATSListen     string   `name:"nats-listen" default:"127.0.0.1:4222" help:"Embedded server only: where it accepts clients; port 0 picks one, 'off' serves this process alone."`
	NATSListenFile string   `name:"nats-listen-file" placeholder:"FILE" help:"Embedded server only: write its client URL to FILE."`
	NATSCredentials
	DataDir string `placeholder:"DIR" help:"Embedded server only: its store; by default $XDG_STATE_HOME/oc-scheduler, else ~/.local/state/oc-scheduler."`

	JSReplicas int           `name:"js-replicas" default:"1" help:"JetStream replication of every stream and bucket: 1, 3 or 5."`
	ReplicaID  string        `placeholder:"NAME" help:"This replica's name in leases and logs; by default the host's and a random suffix."`
	PlannerTTL time.Duration `default:"24h" help:"Life of a planner from its first insertion; whole seconds."`

	ApproveNodes string `placeholder:"auto|manual" help:"Whether new compute nodes may take part at once, or wait for 'oc-scheduler nodes approve' (manual); give every replica the same. By default auto, and manual where who asks has to say who he is."`

	TrustedProxy []string `placeholder:"CIDR" help:"A network of proxies: the right-most address of X-Forwarded-For outside of all of these is the client, X-Forwarded-Proto its protocol; who asks has to say who he is, unless --auth off; repeatable."`
	RateReads    float64  `default:"500" help:"Reads a second of one subject, twice that at once, while who asks has to say who he is; 0: any number."`
	RateWrites   float64  `default:"50" help:"Writes a second, likewise."`

	NodePeers string `placeholder:"any|prefix" default:"any" help:"Whether a node may name any peer as its own, or its id has to be the peer's, or to begin with that and a dot (prefix), so that its NATS rights prove the peer; give every replica the same."`

	Auth               string `placeholder:"auto|on|off" default:"auto" help:"Whether who asks has to say who he is: auto asks for it unless HTTP is served on a loopback address alone and no other flag is about rights, and then refuses what a proxy passes on."`
	BootstrapTokenFile string `placeholder:"FILE" help:"While no administrator's token lives, make one, once for the fleet, and write it to FILE, which must not exist."`

	OIDCIssuer           string   `name:"oidc-issuer" placeholder:"URL" help:"Accept access tokens (JWT) of this OpenID Connect issuer, by its published keys; needs --oidc-audience."`
	OIDCAudience         string   `name:"oidc-audience" placeholder:"NAME" help:"For whom the issuer's tokens have to be made."`
	OIDCGroupsClaim      string   `name:"oidc-groups-claim" default:"groups" placeholder:"PATH" help:"The claim with a person's groups: a name, or a path with dots."`
	OIDCRole             []string `name:"oidc-role" placeholder:"VALUE=ROLE" help:"A value of the groups or the claim 'roles' that gives a role; repeatable, the highest counts, and who has none may do nothing. A comma in a value is written as \\,."`
	OIDCClientID         string   `name:"oidc-client-id" placeholder:"ID" help:"People log in on the page, as this client of the issuer; it leads back to /ui/callback."`
	OIDCClientSecretFile string   `name:"oidc-client-secret-file" placeholder:"FILE" help:"The client's secret; none: it is a public client."`

	NodeGrace time.Duration `default:"2m" help:"How long a run waits for a node that is lost, or that does not end what it is to end."`

	AllowOrigin         []string      `placeholder:"ORIGIN" help:"A browser origin that may connect besides the host's own, and whose host a proxy may pass on to a loopback address; repeatable."`
	MaxStreams          int           `default:"20000" help:"Streams open at a time, of answers and of output."`
	MaxStreamsPerClient int           `default:"1000" help:"Streams open at a time of one subject, or of one address where nobody has to say who he is."`
	ReadyFile           string        `placeholder:"FILE" help:"Create FILE when the replica is ready."`
	DrainGrace          time.Duration `default:"5s" help:"Time between 'not ready' and closing streams at shutdown."`

	// Version names the build in leases and logs.
	Version string `kong:"-"`
}

// Embedded tells whether the replica brings its own NATS server.
func (c Config) Embedded() bool { return len(c.NATSURL) == 0 }

// ConfigError is a fault of the configuration: no retry helps, an operator has to act.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }

func (e *ConfigError) Unwrap() error { return e.Err }

// checkReplicaID is the rule for ids, under the flag's name.
func checkReplicaID(name string) error {
	if name == "" {
		return nil
	}
	return id.Check(name)
}
