package compute

import (
	"errors"
	"fmt"
	"time"

	"oc-scheduler/store/id"
	"oc-scheduler/streams/nclprotocol"
)

// Validate checks a Config after SetDefaults, and reports every fault at once.
func (c *Config) Validate() error {
	return errors.Join(c.validateParts(), c.validateTimes(), c.validateHeartbeats(),
		wrap("DispatcherConfig", c.DispatcherConfig.Validate()))
}

func (c *Config) validateParts() error {
	return errors.Join(
		wrap("NodeID", id.Check(c.NodeID)),
		absent("ClientFactory", c.ClientFactory == nil),
		absent("NodeInfoProvider", c.NodeInfoProvider == nil),
		absent("MessageSerializer", c.MessageSerializer == nil),
		absent("MessageRegistry", c.MessageRegistry == nil),
		absent("ReconnectBackoff", c.ReconnectBackoff == nil),
		absent("DataPlaneMessageHandler", c.DataPlaneMessageHandler == nil),
		absent("DataPlaneMessageCreator", c.DataPlaneMessageCreator == nil),
		absent("EventStore", c.EventStore == nil),
		absent("LogStreamServer", c.LogStreamServer == nil),
		absent("Checkpointer", c.Checkpointer == nil),
		absent("Clock", c.Clock == nil),
		absent("Logger", c.Logger == nil),
	)
}

// absent is the fault of a field that is not set.
func absent(field string, is bool) error {
	if !is {
		return nil
	}
	return fmt.Errorf("%s is missing", field)
}

func (c *Config) validateTimes() error {
	var faults []error
	for _, t := range []struct {
		name  string
		value time.Duration
	}{
		{"ReconnectInterval", c.ReconnectInterval},
		{"HeartbeatInterval", c.HeartbeatInterval},
		{"NodeInfoUpdateInterval", c.NodeInfoUpdateInterval},
		{"RequestTimeout", c.RequestTimeout},
		{"CheckpointInterval", c.CheckpointInterval},
	} {
		if t.value <= 0 {
			faults = append(faults, fmt.Errorf("%s is %v, must be above 0", t.name, t.value))
		}
	}
	return errors.Join(faults...)
}

func (c *Config) validateHeartbeats() error {
	if c.HeartbeatMissFactor < 1 || c.HeartbeatMissFactor > nclprotocol.MaxMissFactor {
		return fmt.Errorf("HeartbeatMissFactor is %d, must be between 1 and %d", c.HeartbeatMissFactor, nclprotocol.MaxMissFactor)
	}
	factor := time.Duration(c.HeartbeatMissFactor)
	switch {
	case c.HeartbeatInterval <= 0: // which is a fault of its own
	case c.HeartbeatInterval < nclprotocol.MinSilence/factor || c.HeartbeatInterval > nclprotocol.MaxSilence/factor:
		return fmt.Errorf("HeartbeatInterval %v × HeartbeatMissFactor %d is not between %v and %v",
			c.HeartbeatInterval, c.HeartbeatMissFactor, nclprotocol.MinSilence, nclprotocol.MaxSilence)
	case c.RequestTimeout > c.heartbeatLimit():
		return fmt.Errorf("RequestTimeout is %v: one hung request would outlast HeartbeatInterval × HeartbeatMissFactor, %v",
			c.RequestTimeout, c.heartbeatLimit())
	}
	return nil
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
