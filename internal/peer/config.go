package peer

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"oc-scheduler/internal/peer/execute"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/store/id"
	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
)

// Config is what a node is; README.md and the example in deploy/peer.yaml tell of each field.
type Config struct {
	PeerID    string            `yaml:"peer_id"`
	NodeID    string            `yaml:"node_id"` // default: the peer's
	DataDir   string            `yaml:"data_dir"`
	Labels    map[string]string `yaml:"labels"`
	Resources ledger.Capacities `yaml:"resources"` // resource → instance → capacities
	Executor  execute.Config    `yaml:"executor"`
	Output    Output            `yaml:"output"`
	NATS      NATS              `yaml:"nats"`
	Heartbeat Heartbeat         `yaml:"heartbeat"`
	// BusyEvery has the node invent a booking, or cancel an invented one, each time it has passed; 0:
	// never. It is for demonstrations.
	BusyEvery time.Duration `yaml:"busy_every"`
	// Version names the build.
	Version string `yaml:"-"`
}

// Output says how much of the output of executions is kept. Zero values mean the defaults of logstream.
type Output struct {
	MaxMB   int64         `yaml:"max_mb"`   // of one execution, in MiB
	TotalMB int64         `yaml:"total_mb"` // of all, in MiB; the oldest gives way
	Keep    time.Duration `yaml:"keep"`     // after the end of an execution
}

// Heartbeat says how soon the scheduler counts the node as lost: after Interval × Misses without a word. Zero
// values mean the defaults of streams/compute.
type Heartbeat struct {
	Interval time.Duration `yaml:"interval"`
	Misses   int           `yaml:"misses"`
}

// NATS is how to reach the servers.
type NATS struct {
	URL   []string `yaml:"url"`
	Creds string   `yaml:"creds"` // credentials file
	NKey  string   `yaml:"nkey"`  // seed of an nkey
	CA    string   `yaml:"ca"`    // certificate authorities (PEM)
	Cert  string   `yaml:"cert"`  // client certificate (PEM)
	Key   string   `yaml:"key"`   // its key (PEM)
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	c.NodeID = cmp.Or(c.NodeID, c.PeerID)
	c.Heartbeat.Interval = cmp.Or(c.Heartbeat.Interval, compute.DefaultHeartbeatInterval)
	c.Heartbeat.Misses = cmp.Or(c.Heartbeat.Misses, compute.DefaultHeartbeatMissFactor)
	c.Executor.SetDefaults()
}

// Validate reports all that is wrong with a configuration whose defaults are set, each fault with its
// field.
func (c Config) Validate() error {
	var errs []error
	for _, f := range c.faults() {
		errs = append(errs, fmt.Errorf("%s: %w", f.Field, f.Err))
	}
	return errors.Join(errs...)
}

func (c Config) faults() []execute.Fault {
	var faults []execute.Fault
	add := func(field string, err error) {
		if err != nil {
			faults = append(faults, execute.Fault{Field: field, Err: err})
		}
	}
	add("peer_id", id.Check(c.PeerID))
	if c.NodeID != c.PeerID {
		add("node_id", id.Check(c.NodeID))
	}
	if c.DataDir == "" {
		add("data_dir", errors.New("missing"))
	}
	for _, resource := range slices.Sorted(maps.Keys(c.Resources)) {
		add("resources."+resource, id.Check(resource))
		for _, instance := range slices.Sorted(maps.Keys(c.Resources[resource])) {
			add("resources."+resource+"."+instance, id.Check(instance))
		}
	}
	for _, f := range c.Executor.Faults() {
		add("executor."+f.Field, f.Err)
	}
	if max(c.Output.MaxMB, c.Output.TotalMB) > maxMiB || min(c.Output.MaxMB, c.Output.TotalMB) < 0 {
		add("output", fmt.Errorf("a size is below zero or above %d MiB", int64(maxMiB)))
	} else {
		add("output", c.Output.files().Validate())
	}
	add("heartbeat", c.Heartbeat.validate())
	if c.BusyEvery < 0 || c.BusyEvery > 0 && len(c.Resources) == 0 {
		add("busy_every", errors.New("it needs resources, and a time above zero"))
	}
	return faults
}

const (
	mib    = 1 << 20
	maxMiB = 1 << 40 // as bytes it still has a sign
)

func (h Heartbeat) validate() error {
	switch {
	case h.Misses < 1 || h.Misses > nclprotocol.MaxMissFactor:
		return fmt.Errorf("misses are %d, must be between 1 and %d", h.Misses, nclprotocol.MaxMissFactor)
	case h.Interval < nclprotocol.MinSilence/time.Duration(h.Misses) || h.Interval > nclprotocol.MaxSilence/time.Duration(h.Misses):
		return fmt.Errorf("interval × misses, %v × %d, is not between %v and %v", h.Interval, h.Misses, nclprotocol.MinSilence, nclprotocol.MaxSilence)
	}
	return nil
}

// silence is how long the node may be silent.
func (h Heartbeat) silence() time.Duration { return h.Interval * time.Duration(h.Misses) }

func (o Output) files() logstream.FilesConfig {
	return logstream.FilesConfig{MaxBytesPerExecution: o.MaxMB * mib, MaxTotalBytes: o.TotalMB * mib, MaxAge: o.Keep}
}
