package compute

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// Config is all that a node's connection needs. Fields without a default, named so below, must be set.
type Config struct {
	// NodeID is the node's name, as in subjects. No default. Of two programs with the same one the second is
	// refused while the first is heard of.
	NodeID string
	// ClientFactory opens a connection to NATS for each session. No default.
	ClientFactory nclprotocol.ClientFactory
	// NodeInfoProvider tells what the node has. No default.
	NodeInfoProvider nclprotocol.NodeInfoProvider
	// OfferProvider tells what the node offers: the scheduler composes its peer's planner of that. Nil: it tells
	// none.
	OfferProvider nclprotocol.OfferProvider

	// MessageSerializer makes frames of messages; default envelope.Serializer, up to nclprotocol.MaxMessage.
	MessageSerializer envelope.MessageSerializer
	// MessageRegistry knows the payloads of the data plane, both ways; default: an empty one. Control
	// messages need not be in it.
	MessageRegistry *envelope.Registry

	// ReconnectInterval is where the default backoff begins, and how long a connection must have lived
	// for the next loss to be followed by a new attempt at once; default 10 s.
	ReconnectInterval time.Duration
	// HeartbeatInterval is the time between heartbeats; default 15 s. Times HeartbeatMissFactor it is between
	// nclprotocol.MinSilence and MaxSilence.
	HeartbeatInterval time.Duration
	// HeartbeatMissFactor × HeartbeatInterval without an answer, and the connection counts as lost;
	// default 5, at most nclprotocol.MaxMissFactor.
	HeartbeatMissFactor int
	// NodeInfoUpdateInterval is the time between looks at whether the node's info changed, and the longest pause
	// before an offer is told again that was not answered; default 60 s.
	NodeInfoUpdateInterval time.Duration
	// RequestTimeout bounds each request, each connecting and each taking down; default 10 s.
	RequestTimeout time.Duration
	// ReconnectBackoff gives the pauses after failures; default: exponential with jitter from
	// ReconnectInterval to 2 min. It belongs to one manager. A connection that stood resets it. While nobody is
	// there, neither a NATS server nor a replica of the scheduler, no pause is longer than 3 × ReconnectInterval.
	ReconnectBackoff backoff.BackOff

	// DataPlaneMessageHandler handles messages from the scheduler. No default.
	DataPlaneMessageHandler ncl.MessageHandler
	// DataPlaneMessageCreator makes messages of events. No default.
	DataPlaneMessageCreator nclprotocol.MessageCreator
	// EventStore is the node's ledger of events. No default. One that is a watcher.Renamer, too, can be restored
	// from a backup.
	EventStore watcher.EventStore
	// DispatcherConfig is how events are sent; what is zero has its default. Its Clock and Logger are
	// always those of this Config.
	DispatcherConfig dispatcher.Config
	// LogStreamServer has the output of executions. No default.
	LogStreamServer logstream.Server

	// Checkpointer remembers the last message that was processed; default: EventStore's checkpoints.
	Checkpointer nclprotocol.Checkpointer
	// CheckpointInterval is the time between checkpoints; default 30 s. After a crash, what was
	// processed since the last one comes again.
	CheckpointInterval time.Duration

	// Clock is where all time comes from; default: the real one.
	Clock clockwork.Clock
	// Logger hears of each session, and of what went wrong; default: none.
	Logger *slog.Logger

	made *backoff.ExponentialBackOff // the default that SetDefaults gave ReconnectBackoff
}

// Defaults of Config.
const (
	DefaultHeartbeatInterval   = 15 * time.Second
	DefaultHeartbeatMissFactor = 5

	defaultReconnectInterval      = 10 * time.Second
	defaultLongestReconnect       = 2 * time.Minute
	defaultNodeInfoUpdateInterval = time.Minute
	defaultRequestTimeout         = 10 * time.Second
	defaultCheckpointInterval     = 30 * time.Second
)

// DefaultConfig returns a new Config with default values.
func DefaultConfig() Config {
	var c Config
	c.SetDefaults()
	return c
}

// SetDefaults fills in what is zero and has a default. Defaults that follow from another field follow it
// still when it was set after an earlier call, or after DefaultConfig.
func (c *Config) SetDefaults() {
	c.ReconnectInterval = cmp.Or(c.ReconnectInterval, defaultReconnectInterval)
	c.HeartbeatInterval = cmp.Or(c.HeartbeatInterval, DefaultHeartbeatInterval)
	c.HeartbeatMissFactor = cmp.Or(c.HeartbeatMissFactor, DefaultHeartbeatMissFactor)
	c.NodeInfoUpdateInterval = cmp.Or(c.NodeInfoUpdateInterval, defaultNodeInfoUpdateInterval)
	c.RequestTimeout = cmp.Or(c.RequestTimeout, defaultRequestTimeout)
	c.CheckpointInterval = cmp.Or(c.CheckpointInterval, defaultCheckpointInterval)
	c.MessageSerializer = cmp.Or[envelope.MessageSerializer](c.MessageSerializer, envelope.Serializer{MaxBytes: nclprotocol.MaxMessage})
	c.Clock = cmp.Or(c.Clock, clockwork.NewRealClock())
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.MessageRegistry == nil {
		c.MessageRegistry = envelope.NewRegistry()
	}
	if c.ReconnectBackoff == nil || c.isOutdated(c.ReconnectBackoff) {
		c.made = exponential(c.ReconnectInterval)
		c.ReconnectBackoff = c.made
	}
	if c.Checkpointer == nil && c.EventStore != nil {
		c.Checkpointer = nclprotocol.NewCheckpointer(c.EventStore)
	}
	c.DispatcherConfig.Clock, c.DispatcherConfig.Logger = c.Clock, c.Logger
	c.DispatcherConfig.SetDefaults()
}

func exponential(first time.Duration) *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = first
	b.MaxInterval = max(first, defaultLongestReconnect)
	b.Multiplier = 2
	return b
}

// isOutdated says whether a backoff is a default, and ReconnectInterval was changed since.
func (c *Config) isOutdated(b backoff.BackOff) bool {
	return b == backoff.BackOff(c.made) && c.made.InitialInterval != c.ReconnectInterval
}

// heartbeatLimit is how long heartbeats may stay without answer.
func (c *Config) heartbeatLimit() time.Duration {
	return c.HeartbeatInterval * time.Duration(c.HeartbeatMissFactor)
}
