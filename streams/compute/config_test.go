package compute_test

import (
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	c := compute.DefaultConfig()
	for name, wrong := range map[string]bool{
		"ReconnectInterval":      c.ReconnectInterval != 10*time.Second,
		"HeartbeatInterval":      c.HeartbeatInterval != 15*time.Second,
		"HeartbeatMissFactor":    c.HeartbeatMissFactor != 5,
		"NodeInfoUpdateInterval": c.NodeInfoUpdateInterval != time.Minute,
		"RequestTimeout":         c.RequestTimeout != 10*time.Second,
		"CheckpointInterval":     c.CheckpointInterval != 30*time.Second,
		"MessageSerializer":      c.MessageSerializer == nil,
		"MessageRegistry":        c.MessageRegistry == nil,
		"Clock":                  c.Clock == nil,
		"Logger":                 c.Logger == nil,
	} {
		if wrong {
			t.Error(name)
		}
	}
	b, ok := c.ReconnectBackoff.(*backoff.ExponentialBackOff)
	if !ok || b.InitialInterval != 10*time.Second || b.MaxInterval != 2*time.Minute || b.RandomizationFactor == 0 {
		t.Errorf("ReconnectBackoff %+v", c.ReconnectBackoff)
	}
}

func TestSetDefaultsKeepsWhatIsSet(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	c := compute.Config{
		ReconnectInterval: time.Second, RequestTimeout: 3 * time.Second, Clock: clock, EventStore: watcher.NewMemoryStore(),
	}
	c.SetDefaults()
	if c.ReconnectInterval != time.Second || c.RequestTimeout != 3*time.Second || c.Clock != clock || c.DispatcherConfig.Clock != clock {
		t.Errorf("%+v", c)
	}
	if b := c.ReconnectBackoff.(*backoff.ExponentialBackOff); b.InitialInterval != time.Second {
		t.Errorf("the backoff begins at %v", b.InitialInterval)
	}
	if c.Checkpointer == nil {
		t.Error("checkpoints are not kept in the event store")
	}
}

func TestDefaultsFollowWhatIsSetLater(t *testing.T) {
	t.Parallel()
	c := compute.DefaultConfig()
	c.Clock, c.Logger, c.ReconnectInterval = clockwork.NewFakeClock(), slog.New(slog.DiscardHandler), time.Second
	c.SetDefaults()
	if c.DispatcherConfig.Clock != c.Clock || c.DispatcherConfig.Logger != c.Logger {
		t.Error("the dispatcher has a clock or a logger of its own")
	}
	b := c.ReconnectBackoff.(*backoff.ExponentialBackOff)
	if b.InitialInterval != time.Second {
		t.Errorf("the backoff begins at %v", b.InitialInterval)
	}

	b.MaxInterval = time.Minute
	c.SetDefaults()
	if c.ReconnectBackoff != b || b.MaxInterval != time.Minute {
		t.Errorf("a default that was adapted is gone: %+v", c.ReconnectBackoff)
	}
	own := backoff.NewExponentialBackOff()
	c.ReconnectBackoff = own
	c.SetDefaults()
	if c.ReconnectBackoff != own {
		t.Errorf("a backoff that was set is gone: %+v", c.ReconnectBackoff)
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	t.Parallel()
	c := compute.Config{
		ReconnectInterval: -1, NodeInfoUpdateInterval: -1, CheckpointInterval: -1, HeartbeatMissFactor: -1,
		DispatcherConfig: dispatcher.Config{StallTimeout: -1},
	}
	c.SetDefaults()
	err := c.Validate()
	if err == nil {
		t.Fatal("no fault")
	}
	for _, name := range []string{
		"NodeID", "ClientFactory", "NodeInfoProvider", "DataPlaneMessageHandler", "DataPlaneMessageCreator", "EventStore",
		"LogStreamServer", "Checkpointer", "ReconnectInterval", "NodeInfoUpdateInterval", "CheckpointInterval",
		"HeartbeatMissFactor", "DispatcherConfig",
	} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not reported", name)
		}
	}
	if _, err := compute.NewConnectionManager(compute.Config{}); err == nil {
		t.Error("NewConnectionManager takes an empty configuration")
	}
}

func TestValidateAcrossFields(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*compute.Config){
		"a request outlasts the heartbeats": func(c *compute.Config) { c.RequestTimeout = 15*5*time.Second + 1 },
		"more misses than any number":       func(c *compute.Config) { c.HeartbeatMissFactor = math.MaxInt },
		"more misses than are allowed":      func(c *compute.Config) { c.HeartbeatMissFactor = nclprotocol.MaxMissFactor + 1 },
		"a silence of no time": func(c *compute.Config) {
			c.HeartbeatInterval, c.RequestTimeout = nclprotocol.MinSilence/5-1, time.Millisecond
		},
		"a silence of days":    func(c *compute.Config) { c.HeartbeatInterval = nclprotocol.MaxSilence/5 + 1 },
		"no name for subjects": func(c *compute.Config) { c.NodeID = strings.Repeat("n", 129) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := configure(t, "nats://127.0.0.1:1", "n1", &worker{}, watcher.NewMemoryStore())
			c.HeartbeatInterval, c.HeartbeatMissFactor = 15*time.Second, 5
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			change(&c)
			if err := c.Validate(); err == nil {
				t.Error("valid")
			}
		})
	}
}
